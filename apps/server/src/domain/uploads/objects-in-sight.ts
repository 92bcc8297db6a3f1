import type { Blob, StoredObject } from '#blob/port'
import type { PackageRow } from '#store/packages'
import { packagePrefix } from './object-key.ts'

// Fewer are asked for one by one.
const fewest = 8

/**
 * What storage has of many objects of one package, by a list instead of a question for each: keys of files that were
 * added together lie together. What is not found here may be there all the same.
 */
export async function objectsInSight(
  blob: Pick<Blob, 'list'>,
  pkg: Pick<PackageRow, 'team_id' | 'id'>,
  keys: readonly string[],
): Promise<ReadonlyMap<string, StoredObject>> {
  const found = new Map<string, StoredObject>()
  const wanted = new Set(keys)
  if (wanted.size < fewest) return found
  const inOrder = keys.toSorted()
  const [before, last] = [inOrder.at(0)?.slice(0, -1), inOrder.at(-1) ?? '']
  // Where many others lie between them, questions are cheaper than the list.
  let left = 2 * wanted.size
  for await (const { key, size, etag } of blob.list(packagePrefix(pkg.team_id, pkg.id), before)) {
    if (wanted.has(key)) found.set(key, { size, etag })
    left -= 1
    if (key >= last || left === 0) break
  }
  return found
}
