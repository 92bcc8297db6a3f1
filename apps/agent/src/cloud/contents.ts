import type { Client } from '@longshore/client/client'
import { listFiles, waybill as readWaybill } from '@longshore/contract/cloud/files'
import { systemKeys } from '@longshore/contract/cloud/system'
import { fullPath } from '@longshore/contract/names'
import { Refusal } from '@longshore/kit/refusal'
import { checkSignature, readSigned } from '@longshore/waybill/signature'
import { WaybillFault } from '@longshore/waybill/waybill'
import { ask } from './ask.ts'
import type { OpenPackage } from './packages.ts'

/** An entry of a package that can be fetched. */
export interface Content {
  readonly id: string
  readonly kind: 'file' | 'directory'
  readonly path: string
  readonly name: string
  readonly size: number
  readonly lastModified: string
  /** What its bytes must hash to; undefined where the server has not read the file yet. */
  readonly sha256: string | undefined
  readonly infected: boolean
}

/** All entries of a package, with the checksums of its signed waybill. */
export async function readContents(client: Client, { id, token }: OpenPackage): Promise<Content[]> {
  const params = { package_id: id }
  const by = { credential: { packageToken: token } }
  const files = await ask((signal) => client.call(listFiles, { params }, { ...by, signal }))
  const sums = await checksums(client, { id, token })
  return files.flatMap(({ kind, name, path, size = 0, last_modified, virus_detected, id: fileId }) => {
    // Archives are made of the files: whoever fetches the files has all of it.
    if (kind !== 'file' && kind !== 'directory') return []
    const sha256 = sums.get(fullPath({ path, name }))
    return [{ id: fileId, kind, path, name, size, lastModified: last_modified, sha256, infected: virus_detected }]
  })
}

async function checksums(client: Client, { id, token }: OpenPackage): Promise<ReadonlyMap<string, string>> {
  const by = { credential: { packageToken: token } }
  const text = await ask(async (signal) => {
    const waybill = await client.call(readWaybill, { params: { package_id: id } }, { ...by, signal })
    return JSON.stringify(waybill)
  })
  const { keys } = await ask((signal) => client.call(systemKeys, {}, { credential: undefined, signal }))
  try {
    const signed = readSigned(text)
    await checkSignature(signed, { keys })
    return new Map(signed.waybill.files.flatMap(({ path, sha256 }) => (sha256 === null ? [] : [[path, sha256]])))
  } catch (error) {
    if (error instanceof WaybillFault) throw new Refusal('content_mismatch', error.message, { cause: error })
    throw error
  }
}
