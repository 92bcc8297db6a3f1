/** What a server vouches for: the files of a package, as they were sent. */
export interface Waybill {
  readonly version: 1
  readonly issuer: string
  readonly package: {
    readonly id: string
    readonly name: string
    readonly sender: string
    readonly created_at: string
    readonly finalized_at: string
    readonly size: number
    readonly total_files: number
  }
  readonly files: readonly WaybillFile[]
  /** Whether the server has read every file again and found it to be what was sent. */
  readonly verified: boolean
}

export interface WaybillFile {
  /** From the root of the package, `/` between components. */
  readonly path: string
  readonly size: number
  readonly last_modified: string
  /** In hex, like the next. Null where the server had not read the file yet. */
  readonly sha256: string | null
  readonly crc32: string | null
  readonly scan: 'pending' | 'clean' | 'infected' | 'not_scanned'
}

/** A waybill that cannot be used: forged, damaged, or of a kind that this version does not know. */
export class WaybillFault extends Error {
  override readonly name = 'WaybillFault'
}

const scans: readonly unknown[] = ['pending', 'clean', 'infected', 'not_scanned']

/** Makes sure of what was signed. A signature says who wrote it, not that it makes sense. */
export function checkWaybill(read: unknown): asserts read is Waybill {
  if (!isObject(read) || read['version'] !== 1)
    throw new WaybillFault('This waybill is of a version that is not known here.')
  if (typeof read['issuer'] !== 'string' || typeof read['verified'] !== 'boolean')
    throw incomplete('issuer or verified')
  const { name, sender } = isObject(read['package']) ? read['package'] : {}
  if (typeof name !== 'string' || typeof sender !== 'string') throw incomplete('package')
  const { files } = read
  if (!Array.isArray(files)) throw incomplete('files')
  const wrong = files.findIndex((file: unknown) => !isFile(file))
  if (wrong !== -1) throw incomplete(`files[${wrong}]`)
}

const incomplete = (what: string) =>
  new WaybillFault(`The waybill is damaged: ${what} is missing or not as it must be.`)

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isFile = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['path'] === 'string' &&
  value['path'] !== '' &&
  Number.isSafeInteger(value['size']) &&
  (value['sha256'] === null || (typeof value['sha256'] === 'string' && /^[0-9a-f]{64}$/.test(value['sha256']))) &&
  scans.includes(value['scan'])
