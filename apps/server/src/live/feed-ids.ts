/** Ids are those of Redis streams, `<milliseconds>-<number>`, wherever they are made. */
const form = /^(\d{1,15})-(\d{1,15})$/

export const isFeedId = (text: string): boolean => form.test(text)

/** Whether one event came behind another of the same channel. */
export function isBehind(id: string, other: string): boolean {
  const [ms, nth] = parts(id)
  const [otherMs, otherNth] = parts(other)
  return ms === otherMs ? nth > otherNth : ms > otherMs
}

function parts(id: string): [number, number] {
  const [, ms, nth] = form.exec(id) ?? []
  return [Number(ms ?? 0), Number(nth ?? 0)]
}

/** Makes ids that grow, also when the clock does not. */
export function feedIds(): () => string {
  let [ms, nth] = [0, 0]
  return () => {
    const now = Date.now()
    if (now > ms) [ms, nth] = [now, 0]
    else nth += 1
    return `${ms}-${nth}`
  }
}

/** Events that a channel keeps, and for how long after its last one. */
export const kept = { events: 300, seconds: 900 }
