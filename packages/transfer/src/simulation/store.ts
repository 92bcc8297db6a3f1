import type { Blueprint, StorageReply } from '#ports'
import { digestOf, joined } from './bytes.ts'

/** What a signed address of the simulated store allows. */
type Allowed =
  | { readonly act: 'put'; readonly key: string; readonly size: number }
  | { readonly act: 'create'; readonly key: string }
  | {
      readonly act: 'part'
      readonly key: string
      readonly uploadId: string
      readonly part: number
      /** Any, where the size of the file is not known. */
      readonly size: number | undefined
    }
  | { readonly act: 'get'; readonly key: string }

interface Upload {
  readonly key: string
  readonly parts: Map<number, Uint8Array>
}

/** An object store as we know them: puts once, joins parts, forgets an upload once it is joined. */
export interface SimStore {
  readonly sign: (allowed: Allowed, until: number) => Blueprint
  readonly objects: Map<string, Uint8Array>
  /** What it would answer before it has read a body: a refusal, or nothing. */
  readonly refusal: (url: string, now: number) => StorageReply | undefined
  /** Does what the address says. */
  readonly act: (url: string, body: Uint8Array) => StorageReply
  readonly read: (url: string) => Uint8Array | undefined
  readonly partsOf: (uploadId: string) => ReadonlyMap<number, Uint8Array> | undefined
  readonly join: (uploadId: string) => void
}

const error = (status: number, code: string): StorageReply => ({
  status,
  text: `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`,
})

export function createStore(): SimStore {
  const objects = new Map<string, Uint8Array>()
  const uploads = new Map<string, Upload>()
  let opened = 0

  const allowedBy = (url: string) => JSON.parse(url) as { readonly allowed: Allowed; readonly until: number }

  const act = (url: string, body: Uint8Array): StorageReply => {
    const { allowed } = allowedBy(url)
    if (allowed.act === 'create') {
      const uploadId = `upload-${opened++}`
      uploads.set(uploadId, { key: allowed.key, parts: new Map() })
      return { status: 200, text: `<Result><UploadId>${uploadId}</UploadId></Result>` }
    }
    if (allowed.act === 'get') throw new Error('A download has no body.')
    if (allowed.size !== undefined && body.length !== allowed.size)
      throw new Error('A body of another length than was signed arrived.')
    if (allowed.act === 'part') {
      const upload = uploads.get(allowed.uploadId)
      if (upload === undefined) return error(404, 'NoSuchUpload')
      upload.parts.set(allowed.part, body)
    } else {
      if (objects.has(allowed.key)) return error(412, 'PreconditionFailed')
      objects.set(allowed.key, body)
    }
    return { status: 200, etag: digestOf(body), text: '' }
  }

  return {
    objects,
    act,
    sign: (allowed, until) => ({
      url: JSON.stringify({ allowed, until }),
      method: allowed.act === 'create' ? 'POST' : 'PUT',
      headers: {},
      body: '',
    }),
    refusal: (url, now) => (now > allowedBy(url).until ? error(403, 'AccessDenied') : undefined),
    read: (url) => {
      const { allowed } = allowedBy(url)
      return objects.get(allowed.key)
    },
    partsOf: (uploadId) => uploads.get(uploadId)?.parts,
    join: (uploadId) => {
      const upload = uploads.get(uploadId)
      if (upload === undefined) throw new Error('An upload was joined twice.')
      const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes)
      objects.set(upload.key, joined(parts))
      uploads.delete(uploadId)
    },
  }
}
