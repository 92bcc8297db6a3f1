import type { Cx } from '#domain/cx'
import { packageFiles } from '#domain/downloads/package-files'
import type { PackageFile } from '#store/files'
import type { PackageRow } from '#store/packages'

const filesShown = 10

/** What every mail about a package tells of it. */
export async function packageFacts(cx: Pick<Cx, 'db'>, pkg: PackageRow) {
  const files = await firstFiles(cx, pkg, ({ kind }) => kind === 'file')
  const more = pkg.total_files - files.length
  return {
    packageName: pkg.name,
    count: pkg.total_files === 1 ? '1 file' : `${pkg.total_files.toLocaleString('en')} files`,
    size: showSize(pkg.size),
    files: files.map(showFile),
    moreFiles: more > 0 ? more.toLocaleString('en') : '',
  }
}

/** The first files of a package's list that are wanted, as many as a mail shows. */
export async function firstFiles(
  cx: Pick<Cx, 'db'>,
  pkg: PackageRow,
  wanted: (file: PackageFile) => boolean,
): Promise<readonly PackageFile[]> {
  const files: PackageFile[] = []
  for await (const block of packageFiles(cx, pkg)) {
    files.push(...block.files.filter(wanted))
    if (files.length >= filesShown) break
  }
  return files.slice(0, filesShown)
}

export const showFile = ({ path, name, size }: PackageFile) => ({
  name: path === '' ? name : `${path}/${name}`,
  size: showSize(size ?? 0),
})

const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB']

function showSize(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toLocaleString('en', { maximumFractionDigits: 1 })} ${units[power]}`
}

// Whoever reads the mail may live anywhere; the zone is named so that nobody has to guess.
const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

export const showMoment = (time: Date): string => `${moment.format(time)} UTC`
