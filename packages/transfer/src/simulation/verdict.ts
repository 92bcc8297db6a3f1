import { digestOf, same } from './bytes.ts'
import type { SimFolder } from './disk.ts'
import type { Voyage, World } from './voyage.ts'

/** What must hold of an upload that has come to its end, whatever happened on the way. */
export function faultsOfUpload({ course }: World, voyage: Voyage): string[] {
  const { outcome, errors, traffic, cutShort, cloud, store } = voyage
  const faults: string[] = []
  const files = [...cloud.files.values()]
  for (const source of course.sources) {
    const file = files.find(({ added }) => added.name === source.name)
    if (file === undefined || file.claim === undefined) {
      if (cloud.finalized() && !source.gone && source.name !== course.refusedName)
        faults.push(`'${source.name}' is lost`)
      continue
    }
    if (source.kind === 'directory') continue
    const object = store.objects.get(file.key)
    const whole = source.growth === undefined ? source.versions : source.versions.slice(-1)
    if (object === undefined || !whole.some((version) => same(version, object))) {
      faults.push(`'${source.name}' is torn`)
    } else if (file.checksums !== undefined && file.checksums.sha256 !== digestOf(object)) {
      faults.push(`'${source.name}' has the checksums of something else`)
    }
  }
  const hopeless = course.sources.some(({ gone, name }) => gone || name === course.refusedName)
  if ((outcome.state === 'complete') !== cloud.finalized()) faults.push('the outcome and the package disagree')
  if (!hopeless && outcome.state !== 'complete') faults.push(`ended as '${outcome.state}'`)
  if (errors > 0 && !hopeless && !course.sources.some(({ versions }) => versions.length > 2)) {
    faults.push('something that heals by itself became an error')
  }
  const size = course.sources.reduce((sum, { versions }) => sum + (versions.at(-1)?.length ?? 0), 0)
  // The first chunk of a file that grew is sent last, and with the rest of the file once more by each run.
  const growing = course.sources.filter(({ growth }) => growth !== undefined).length
  const needed = size + growing * 2 * cutShort * course.chunkSize
  const { bytes, spoiled, cut } = traffic
  if (course.disturbances === 0 && bytes - spoiled - cut > needed) {
    faults.push(`${bytes - spoiled - cut - needed} bytes were sent again that storage had`)
  }
  if (cut > cutShort * course.lanes * course.chunkSize) faults.push(`${cut} bytes were under way at ${cutShort} ends`)
  return faults
}

/** The same for a download. */
export function faultsOfDownload(
  { course }: World,
  { outcome, traffic, cloud, store, folder }: Voyage & { readonly folder: SimFolder },
): string[] {
  const faults: string[] = []
  const files = [...cloud.files.values()].filter(({ added }) => added.kind === 'file')
  if (outcome.state !== 'complete') faults.push(`ended as '${outcome.state}'`)
  for (const [n, { added, key }] of files.entries()) {
    const object = store.objects.get(key) ?? new Uint8Array()
    const got = folder.finished.get(n)
    if (got === undefined || !same(got, object)) faults.push(`'${added.name}' arrived as something else`)
  }
  if (folder.parts.size > 0) faults.push('part files are left')
  const size = files.reduce((sum, { added }) => sum + (added.size ?? 0), 0)
  const bound = size + traffic.cut + traffic.spoiled
  if (course.weather.bitFlip === 0 && traffic.bytes > bound) {
    faults.push(`${traffic.bytes} bytes were fetched, ${bound} are allowed`)
  }
  return faults
}
