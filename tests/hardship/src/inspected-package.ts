import { listFiles } from '@longshore/contract/cloud/files'
import { MiB } from '@longshore/contract/limits'
import { finalizePackage } from '@longshore/contract/cloud/packages'
import { type Ground, until } from '#ground'
import { finalizeOne, type OpenPackage, openPackage, type SentFile, uploadFile } from '#sender'

export interface Sent {
  readonly pkg: OpenPackage
  readonly files: ReadonlyMap<string, SentFile>
}

/** A package whose files have all been read: from here on a worker has no reason to read them but a transfer. */
export async function sendInspected(ground: Ground, totalMiB: number, fileMiB: number): Promise<Sent> {
  const pkg = await openPackage(ground)
  const files = new Map<string, SentFile>()
  for (let sent = 0; sent < totalMiB; sent += fileMiB) {
    const name = `clip ${files.size}.mov`
    const uploaded = await uploadFile(ground, pkg, name, Math.min(fileMiB, totalMiB - sent) * MiB)
    await finalizeOne(ground, pkg, uploaded)
    files.set(name, uploaded.file)
  }
  const params = { package_id: pkg.id }
  await ground.client.call(finalizePackage, { params }, { credential: pkg.token })
  const reader = ground.startWorker()
  const isRead = async () =>
    (await ground.client.call(listFiles, { params }, { credential: pkg.token })).every(
      ({ integrity }) => integrity !== 'pending',
    )
  await until('the files are inspected', isRead, 60 + totalMiB)
  await reader.kill()
  return { pkg, files }
}
