/**
 * What the pages of these tests do. Each function is sent to the browser as text, so it may use nothing but its
 * argument and what a page has.
 */

export interface Errand {
  readonly cloud: string
  readonly apiKey: string
  readonly teamId: string
  readonly chunkSize: number
  /** Chunk by chunk by the single calls, or whole by the batch calls. */
  readonly how: 'chunks' | 'batch'
}

export interface Sent {
  readonly packageId: string
  readonly link: { readonly id: string; readonly secret: string; readonly url: string }
  /** The chosen files as the page read them. */
  readonly files: readonly { readonly id: string; readonly name: string; readonly sha256: string }[]
}

/** Sends the files that were chosen on the page. */
export async function sendChosenFiles({ cloud, apiKey, teamId, chunkSize, how }: Errand): Promise<Sent> {
  interface Blueprint {
    readonly url: string
    readonly method: string
    readonly headers: Record<string, string>
  }
  interface Added {
    readonly file: { readonly id: string }
    readonly create_blueprint: Blueprint | null
    readonly put_blueprint?: Blueprint | null
  }
  const call = async (path: string, credential: Record<string, string>, body?: object) => {
    const reply = await fetch(cloud + path, {
      method: 'POST',
      headers: { ...credential, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text}`)
    if (reply.headers.get('x-request-id') === null) throw new Error(`${path}: the page cannot read X-Request-Id`)
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  }
  const store = async ({ url, method, headers }: Blueprint, body?: Blob) => {
    const reply = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
    if (!reply.ok) throw new Error(`storage: ${reply.status} ${await reply.text()}`)
    return reply
  }
  const etagOf = (reply: Response) => {
    const etag = reply.headers.get('etag')
    if (etag === null) throw new Error('The page cannot read the ETag that storage sent.')
    return etag
  }
  const sha256 = async (blob: Blob) =>
    [...new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()))]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('')

  const chosen = [...(document.querySelector<HTMLInputElement>('#files')?.files ?? [])]
  const pkg = (await call(
    `/v1/teams/${teamId}/packages`,
    { 'x-api-key': apiKey },
    { name: 'Sent by a page', description: '', recipients: [] },
  )) as { id: string; access_token: string }
  const token = { 'x-package-token': pkg.access_token }
  const describe = (file: File) => ({
    kind: 'file',
    name: file.name,
    path: 'Ordner/папка',
    last_modified: new Date(file.lastModified).toISOString(),
    size: file.size,
    chunk_size: chunkSize,
  })
  const files: { id: string; name: string; sha256: string }[] = []

  if (how === 'chunks') {
    for (const file of chosen) {
      const added = (await call(`/v1/packages/${pkg.id}/files`, token, describe(file))) as Added
      if (added.create_blueprint === null) throw new Error('There is no create_blueprint.')
      const xml = await (await store(added.create_blueprint)).text()
      const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(xml)?.[1]
      if (uploadId === undefined) throw new Error(`There is no UploadId in ${xml}`)
      const count = Math.max(1, Math.ceil(file.size / chunkSize))
      const chunks = (await call(`/v1/packages/${pkg.id}/files/${added.file.id}?start=0&count=${count}`, token, {
        upload_id: uploadId,
      })) as Blueprint[]
      const extras = await Promise.all(
        chunks.map(async (blueprint, index) => {
          const reply = await store(blueprint, file.slice(index * chunkSize, (index + 1) * chunkSize))
          return { part_number: String(index + 1), etag: etagOf(reply) }
        }),
      )
      await call(`/v1/packages/${pkg.id}/files/${added.file.id}/finalize`, token, {
        chunk_extras: extras.toReversed(),
        file_extras: { upload_id: uploadId },
        size: file.size,
      })
      files.push({ id: added.file.id, name: file.name, sha256: await sha256(file) })
    }
  } else {
    const added = (await call(`/v1/packages/${pkg.id}/files/batch`, token, { files: chosen.map(describe) })) as {
      files: Added[]
    }
    const finished = await Promise.all(
      added.files.map(async ({ file: { id }, put_blueprint }, index) => {
        const file = chosen[index]
        if (file === undefined || !put_blueprint) throw new Error('There is no put_blueprint.')
        const etag = etagOf(await store(put_blueprint, file))
        files.push({ id, name: file.name, sha256: await sha256(file) })
        return { file_id: id, size: file.size, etag }
      }),
    )
    const { results } = (await call(`/v1/packages/${pkg.id}/files/finalize`, token, { files: finished })) as {
      results: { status: number }[]
    }
    if (results.some(({ status }) => status !== 204)) throw new Error(JSON.stringify(results))
  }

  await call(`/v1/packages/${pkg.id}/finalize`, token)
  const link = (await call(`/v1/packages/${pkg.id}/links`, token)) as Sent['link']
  return { packageId: pkg.id, link: { id: link.id, secret: link.secret, url: link.url }, files }
}

/** Opens a link and fetches every file of its package. */
export async function fetchByLink({ cloud, link }: { cloud: string; link: { id: string; secret: string } }) {
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const reply = await fetch(cloud + path, { headers })
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    return (await reply.json()) as unknown
  }
  const opened = (await get(`/v1/links/${link.id}?secret=${encodeURIComponent(link.secret)}`)) as {
    package_id: string
    package_token: string
    total_files: number
  }
  const token = { 'x-package-token': opened.package_token }
  const listed = (await get(`/v1/packages/${opened.package_id}/files`, token)) as {
    id: string
    name: string
    path: string
    kind: string
  }[]
  return Promise.all(
    listed
      .filter(({ kind }) => kind === 'file')
      .map(async ({ id, name, path }) => {
        const { method, url } = (await get(`/v1/packages/${opened.package_id}/files/${id}/download`, token)) as {
          method: string
          url: string
        }
        const reply = await fetch(url, { method })
        if (!reply.ok) throw new Error(`storage: ${reply.status} ${await reply.text()}`)
        const digest = await crypto.subtle.digest('SHA-256', await reply.arrayBuffer())
        const sha256 = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
        return { id, name, path, sha256 }
      }),
  )
}
