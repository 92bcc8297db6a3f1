import { useSyncExternalStore } from 'react'

const kept = 'longshore.token'
const listeners = new Set<() => void>()

// In memory as well: storage may be switched off, and then a sign-in lasts as long as the page.
let token: string | undefined = read()

function read(): string | undefined {
  try {
    return sessionStorage.getItem(kept) ?? localStorage.getItem(kept) ?? undefined
  } catch {
    return undefined
  }
}

function write(value: string | undefined, storage: Storage | undefined): void {
  try {
    sessionStorage.removeItem(kept)
    localStorage.removeItem(kept)
    if (value !== undefined) storage?.setItem(kept, value)
  } catch {
    // Memory alone, then.
  }
}

export const currentToken = (): string | undefined => token

/** Keeps a user token: for this tab, or on this device until it ends. */
export function keepToken(value: string, onThisDevice: boolean): void {
  token = value
  write(value, onThisDevice ? localStorage : sessionStorage)
  for (const tell of listeners) tell()
}

/**
 * The server did not take a token. It may have been another than the present one: an answer comes late, or another tab
 * of this device has signed in anew, whose session is not ours to end.
 */
export function tokenRefused(refused: string): void {
  if (token !== refused) return
  token = undefined
  try {
    for (const storage of [sessionStorage, localStorage]) {
      if (storage.getItem(kept) === refused) storage.removeItem(kept)
    }
  } catch {
    // It was in memory alone.
  }
  for (const tell of listeners) tell()
}

export function forgetToken(): void {
  token = undefined
  write(undefined, undefined)
  for (const tell of listeners) tell()
}

const subscribe = (tell: () => void) => {
  listeners.add(tell)
  return () => listeners.delete(tell)
}

/** Tells when there is no session any more, whoever ended it. */
export function onSessionEnd(tell: () => void): void {
  listeners.add(() => token === undefined && tell())
}

export const useToken = (): string | undefined => useSyncExternalStore(subscribe, currentToken)
