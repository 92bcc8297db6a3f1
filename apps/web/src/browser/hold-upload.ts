import { type KeptUpload, unfinishedUploads } from './kept-uploads.ts'

/** Takes an upload for this tab, as long as the tab lives. False where another one has it. */
export function holdUpload(id: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(`longshore-upload:${id}`, { ifAvailable: true }, (lock) => {
        resolve(lock !== null)
        // Held until the worker ends.
        return lock === null ? undefined : new Promise<never>(() => undefined)
      })
      .catch(reject)
  })
}

/** Uploads that were begun at this place, never completed, and that no tab is at work on; the latest first. */
export async function idleUploads(place: string): Promise<readonly KeptUpload[]> {
  // Where the browser keeps nothing there is nothing to go on with.
  const all = await unfinishedUploads(place).catch(() => [])
  const { held = [] } = await navigator.locks.query()
  const names = new Set(held.map(({ name }) => name))
  return all.filter(({ id }) => !names.has(`longshore-upload:${id}`))
}
