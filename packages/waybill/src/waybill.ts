/** What a server vouches for: the files of a package, as it had them. */
export interface Waybill {
  readonly version: 1
  readonly issuer: string
  readonly issued_at: string
  readonly package: {
    readonly id: string
    readonly team_id: string
    readonly name: string
    readonly sender: string
    readonly created_at: string
    readonly finalized_at: string
    readonly size: number
    readonly total_files: number
  }
  /** Whether the server has read every file again and found the sender's digests right. */
  readonly verified: boolean
  readonly files: readonly WaybillFile[]
  readonly directories: readonly string[]
}

export interface WaybillFile {
  /** From the root of the package, `/` between components. */
  readonly path: string
  readonly size: number
  readonly last_modified: string
  readonly sha256: string
  readonly crc32: string
  readonly scan: 'clean' | 'infected' | 'not_scanned'
}

/** A waybill that cannot be used: forged, damaged, or of a kind that this version does not know. */
export class WaybillFault extends Error {
  override readonly name = 'WaybillFault'
}

const scans: readonly unknown[] = ['clean', 'infected', 'not_scanned']

/** Reads what was signed. A signature says who wrote it, not that it makes sense. */
export function readWaybill(bytes: Uint8Array): Waybill {
  let read: Waybill
  try {
    read = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Waybill
  } catch (cause) {
    throw new WaybillFault('The waybill holds no JSON.', { cause })
  }
  if (!isObject(read) || read.version !== 1)
    throw new WaybillFault('This waybill is of a version that is not known here.')
  if (typeof read.issuer !== 'string' || typeof read.verified !== 'boolean') throw incomplete('issuer or verified')
  const { name, sender } = isObject(read.package) ? read.package : {}
  if (typeof name !== 'string' || typeof sender !== 'string') throw incomplete('package')
  if (!Array.isArray(read.files)) throw incomplete('files')
  if (!Array.isArray(read.directories) || !read.directories.every(isPath)) throw incomplete('directories')
  const wrong = read.files.findIndex((file: unknown) => !isFile(file))
  if (wrong !== -1) throw incomplete(`files[${wrong}]`)
  return read
}

const incomplete = (what: string) =>
  new WaybillFault(`The waybill is damaged: ${what} is missing or not as it must be.`)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isPath = (value: unknown): boolean => typeof value === 'string' && value !== ''

const isFile = (value: unknown): boolean =>
  isObject(value) &&
  isPath(value['path']) &&
  Number.isSafeInteger(value['size']) &&
  typeof value['sha256'] === 'string' &&
  /^[0-9a-f]{64}$/.test(value['sha256']) &&
  scans.includes(value['scan'])
