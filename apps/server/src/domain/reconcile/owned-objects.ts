import type { Cx, Settings } from '#domain/cx'
import { frozenFilesOf, liveFilesOf } from '#domain/downloads/stored-files'
import type { KeyParts } from '#domain/uploads/object-key'
import { type LivingPackage, livingPackagesFrom, type OwnedFile } from '#store/owned-files'
import { inStep } from './in-step.ts'

// Packages mostly have few files: one statement then answers for so many packages.
const packagesAtOnce = 500

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
    const behind = packages[0]?.id === within?.package_id ? within : undefined
    const names = packages.map(({ team_id, id }) => ({ teamId: team_id, packageId: id }))
    const steps = inStep(keyed(frozenFilesOf(cx, names, behind)), keyed(liveFilesOf(cx, names, behind)))
    for await (const { left, right } of steps) {
      const file = left ?? right
      if (file !== undefined) yield file
    }
    place = last
    within = undefined
    inclusive = false
  }
}

async function* keyed(files: AsyncIterable<OwnedFile>): AsyncGenerator<OwnedObject> {
  for await (const file of files) yield { ...file, key: file.object_key }
}
