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

/** Whether some tab is at work on it. */
export async function isHeld(id: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query()
  return held.some(({ name }) => name === `longshore-upload:${id}`)
}
