/** How fast something goes while it goes. */
export interface Traffic {
  readonly begin: () => void
  readonly moved: (bytes: number) => void
  readonly end: () => void
  readonly active: () => number
  /** Bytes a second right now. */
  readonly speed: () => number
  /** What it carried when it last had something to carry; undefined if that is long ago. */
  readonly capacity: () => number | undefined
}

const windowMs = 1_000
// By then the line may be another.
const forgottenAfterMs = 30_000

export function createTraffic(now: () => number): Traffic {
  let active = 0
  let since = now()
  let bytes = 0
  let speed = 0
  let measured: { readonly at: number; readonly speed: number } | undefined

  const look = () => {
    const took = now() - since
    if (took < windowMs) return
    const latest = (bytes / took) * 1_000
    // Chunks come and go, so one window says little.
    speed = took > 5 * windowMs || speed === 0 ? latest : (speed + latest) / 2
    if (active > 0) measured = { at: now(), speed }
    since = now()
    bytes = 0
  }

  return {
    begin: () => {
      if (active === 0) {
        look()
        since = now()
        bytes = 0
      }
      active++
    },
    moved: (some) => {
      bytes += some
      look()
    },
    end: () => {
      look()
      active--
    },
    active: () => active,
    speed: () => {
      look()
      return active === 0 ? 0 : speed
    },
    capacity: () => {
      look()
      return measured === undefined || now() - measured.at > forgottenAfterMs ? undefined : measured.speed
    },
  }
}
