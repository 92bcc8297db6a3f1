import type { Cx, Settings } from '#domain/cx'
import type { KeyParts } from '#domain/uploads/object-key'
import { filesOfPackages, type LivingPackage, livingPackagesFrom, type OwnedFile } from '#store/owned-files'

// Packages mostly have few files: one statement then answers for so many packages.
const packagesAtOnce = 500
const filesAtOnce = 2_000

const none = '00000000-0000-0000-0000-000000000000'

/** An object that somebody owns, or will once it is uploaded. */
export interface OwnedObject extends OwnedFile {
  readonly key: string
}

/** What should be in the store by our books, in the order of the keys, behind the one given. */
export async function* ownedObjects(
  cx: Pick<Cx, 'db'> & { readonly settings: Pick<Settings, 'storageLocation'> },
  after: KeyParts | undefined,
): AsyncGenerator<OwnedObject> {
  let place: LivingPackage = { slice: after?.slice ?? 0, team_id: after?.teamId ?? none, id: after?.packageId ?? none }
  let within = after === undefined ? undefined : { package_id: after.packageId, id: after.fileId }
  let inclusive = true
  while (true) {
    const packages = await livingPackagesFrom(cx.db, cx.settings.storageLocation, place, {
      limit: packagesAtOnce,
      inclusive,
    })
    const last = packages.at(-1)
    if (last === undefined) return
    // The package that the last run stopped in may have ended since.
    yield* filesOf(cx, packages, packages[0]?.id === within?.package_id ? within : undefined)
    place = last
    within = undefined
    inclusive = false
  }
}

async function* filesOf(
  cx: Pick<Cx, 'db'>,
  packages: readonly LivingPackage[],
  after: { readonly package_id: string; readonly id: string } | undefined,
): AsyncGenerator<OwnedObject> {
  let place = after
  while (true) {
    const files = await filesOfPackages(cx.db, packages, place, filesAtOnce)
    for (const file of files) yield { ...file, key: file.object_key }
    const last = files.at(-1)
    if (last === undefined || files.length < filesAtOnce) return
    place = last
  }
}
