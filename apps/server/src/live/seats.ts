/** Counts the streams that are open in this process. Each is a connection and memory that somebody holds. */
export interface Seats {
  /** Takes a seat and answers how to give it back; or whose limit is reached. */
  take(credential: string): (() => void) | 'credential-full' | 'process-full'
}

export function createSeats(limits: { readonly perProcess: number; readonly perCredential: number }): Seats {
  const taken = new Map<string, number>()
  let all = 0
  return {
    take(credential) {
      const own = taken.get(credential) ?? 0
      if (own >= limits.perCredential) return 'credential-full'
      if (all >= limits.perProcess) return 'process-full'
      taken.set(credential, own + 1)
      all += 1
      let free = false
      return () => {
        if (free) return
        free = true
        all -= 1
        const left = (taken.get(credential) ?? 1) - 1
        if (left === 0) taken.delete(credential)
        else taken.set(credential, left)
      }
    },
  }
}
