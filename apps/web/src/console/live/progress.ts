import type { Progress } from '@longshore/contract/cloud/realtime'
import { useSyncExternalStore } from 'react'

const latest = new Map<string, Progress>()
const listeners = new Set<() => void>()

export function noteProgress(progress: Progress): void {
  latest.set(progress.package_id, progress)
  for (const tell of listeners) tell()
}

const subscribe = (tell: () => void) => {
  listeners.add(tell)
  return () => listeners.delete(tell)
}

/** How far a package is, as its sender last told; undefined before the first word. */
export const useProgress = (packageId: string): Progress | undefined =>
  useSyncExternalStore(subscribe, () => latest.get(packageId))
