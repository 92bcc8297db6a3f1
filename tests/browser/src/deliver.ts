import assert from 'node:assert/strict'
import { createClient } from '@longshore/client/client'
import { addFiles, finalizeFiles } from '@longshore/contract/cloud/files'
import { finalizePackage } from '@longshore/contract/cloud/packages'

interface NewPackage {
  readonly id: string
  readonly access_token?: string
}

/** Content of files by their places: `folder/name`. */
type Files = Readonly<Record<string, string>>

/** Puts files into a package that stays open. */
export async function putFiles(baseUrl: string, pkg: NewPackage, files: Files) {
  const sender = createClient({ baseUrl, credential: { packageToken: pkg.access_token ?? '' } })
  const params = { package_id: pkg.id }
  const added = await sender.call(addFiles, {
    params,
    body: {
      files: Object.entries(files).map(([place, content]) => ({
        kind: 'file' as const,
        name: place.split('/').at(-1) ?? '',
        path: place.split('/').slice(0, -1).join('/'),
        last_modified: '2026-11-01T10:00:00Z',
        size: Buffer.byteLength(content),
      })),
    },
  })
  for (const { file, put_blueprint } of added.files) {
    assert.ok(put_blueprint)
    const content = files[file.path === '' ? file.name : `${file.path}/${file.name}`] ?? ''
    const { url, method, headers } = put_blueprint
    assert.equal((await fetch(url, { method, headers, body: content })).status, 200)
  }
  return { sender, params, claims: added.files.map(({ file }) => ({ file_id: file.id, size: file.size ?? 0 })) }
}

/** Puts files into a package and closes it. Answers its id. */
export async function deliver(baseUrl: string, pkg: NewPackage, files: Files): Promise<string> {
  const { sender, params, claims } = await putFiles(baseUrl, pkg, files)
  await sender.call(finalizeFiles, { params, body: { files: claims } })
  await sender.call(finalizePackage, { params })
  return pkg.id
}
