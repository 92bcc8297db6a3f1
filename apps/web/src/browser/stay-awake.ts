/** Keeps the screen on while something is sent: a machine that sleeps sends nothing. */
export function stayAwake(): { readonly want: (wanted: boolean) => void } {
  let wanted = false
  let lock: WakeLockSentinel | undefined
  let asking = false

  const settle = async () => {
    if (asking || !('wakeLock' in navigator)) return
    asking = true
    try {
      if (wanted && (lock === undefined || lock.released) && document.visibilityState === 'visible') {
        lock = await navigator.wakeLock.request('screen')
      } else if (!wanted) {
        await lock?.release()
        lock = undefined
      }
    } catch {
      // A low battery, or a browser that will not: sending goes on without it.
    } finally {
      asking = false
    }
  }

  // The browser takes the lock away whenever the page is hidden.
  document.addEventListener('visibilitychange', () => void settle())
  return {
    want: (now) => {
      if (now === wanted) return
      wanted = now
      void settle()
    },
  }
}
