import { Refusal } from '#domain/refusal'
import type { Tx } from '#platform/db'
import { correctSizes, type FileRow, filesById, type NewFile } from '#store/files'
import { declare, type LockedPackage } from '#store/packages'
import { type PortalLimits, portalLimits } from '#store/portals'
import { isTypeAllowed } from './file-types.ts'

interface PackageKey {
  readonly team_id: string
  readonly id: string
}

/** What a package comes to. */
interface Totals {
  readonly files: number
  readonly size: number
}

/**
 * Lets new entries into a Portal package if its Portal takes them, and counts them in.
 *
 * Takes the lock of the package for granted: the totals are those of this moment, so files that are added at once are
 * never together more than the Portal takes.
 */
export async function admitNewFiles(
  tx: Tx,
  pkg: PackageKey,
  locked: LockedPackage,
  entries: readonly NewFile[],
): Promise<void> {
  if (locked.portal_id === null) return
  const files = entries.filter((entry) => entry.kind === 'file')
  if (files.length === 0) return
  const limits = await portalLimits(tx, pkg.team_id, locked.portal_id)
  const added = { files: files.length, size: files.reduce((sum, file) => sum + (file.size ?? 0), 0) }
  const after = { files: locked.declared_files + added.files, size: locked.declared_size + added.size }
  const refusal =
    firstOf(files, (file) => fileTooLarge(limits, file.name, file.size ?? 0) ?? typeRefused(limits, file.name)) ??
    packageTooLarge(limits, after)
  if (refusal !== undefined) throw refusal
  await declare(tx, pkg.team_id, pkg.id, added)
}

/**
 * Judges files by the bytes they really have, which may be others than were announced, and counts those in. Answers a
 * refusal for each file that is too much. Takes the lock of the package for granted.
 */
export async function admitRealSizes(
  tx: Tx,
  pkg: PackageKey,
  locked: LockedPackage,
  sized: readonly { readonly file: FileRow; readonly size: number }[],
): Promise<ReadonlyMap<string, Refusal>> {
  const refusals = new Map<string, Refusal>()
  if (locked.portal_id === null || sized.length === 0) return refusals
  const limits = await portalLimits(tx, pkg.team_id, locked.portal_id)
  const ids = sized.map(({ file }) => file.id)
  const current = new Map((await filesById(tx, pkg.team_id, pkg.id, ids)).map((file) => [file.id, file]))
  const corrected: { id: string; size: number }[] = []
  let grown = 0
  for (const { file, size } of sized) {
    const now = current.get(file.id)
    // Removed or closed by another call meanwhile: what becomes of it is decided when it is closed.
    if (now === undefined || now.state === 'finalized') continue
    const more = size - (now.size ?? 0)
    const after = { files: locked.declared_files, size: locked.declared_size + grown + more }
    const refusal = fileTooLarge(limits, file.name, size) ?? packageTooLarge(limits, after)
    if (refusal !== undefined) refusals.set(file.id, refusal)
    else if (more !== 0) {
      grown += more
      corrected.push({ id: file.id, size })
    }
  }
  if (corrected.length > 0) {
    await correctSizes(tx, pkg.team_id, pkg.id, corrected)
    await declare(tx, pkg.team_id, pkg.id, { files: 0, size: grown })
  }
  return refusals
}

/** The last look before a package is closed: its Portal may take less by now than when the files were added. */
export async function refuseOversized(
  tx: Tx,
  pkg: PackageKey & { readonly portal_id: string | null },
  counted: Totals & { readonly largest: number },
): Promise<void> {
  if (pkg.portal_id === null) return
  const limits = await portalLimits(tx, pkg.team_id, pkg.portal_id)
  const refusal = packageTooLarge(limits, counted) ?? fileTooLarge(limits, 'The largest file', counted.largest)
  if (refusal !== undefined) throw refusal
}

type Limits = PortalLimits | undefined

function fileTooLarge(limits: Limits, name: string, size: number): Refusal | undefined {
  if (limits?.package_size_restriction_enabled !== true) return undefined
  const { max_file_size: most } = limits
  if (most === 0 || size <= most) return undefined
  return new Refusal('file_too_large', `'${name}' has ${size} bytes. This Portal takes files of at most ${most}.`)
}

function packageTooLarge(limits: Limits, { files, size }: Totals): Refusal | undefined {
  if (limits?.package_size_restriction_enabled !== true) return undefined
  const { max_package_size: mostBytes, max_file_count: mostFiles } = limits
  if (mostFiles > 0 && files > mostFiles) {
    return new Refusal('package_too_large', `This Portal takes at most ${mostFiles} file(s) in a package.`)
  }
  if (mostBytes > 0 && size > mostBytes) {
    return new Refusal('package_too_large', `This Portal takes packages of at most ${mostBytes} bytes.`)
  }
  return undefined
}

function typeRefused(limits: Limits, name: string): Refusal | undefined {
  if (limits?.file_type_restriction_enabled !== true || isTypeAllowed(name, limits.file_types)) return undefined
  const reason = `this Portal takes ${limits.file_types.join(', ')}`
  return new Refusal('file_type_refused', `'${name}' is of another type: ${reason}.`, {
    details: [{ field: 'name', reason }],
  })
}

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
