import type { StorageReply } from './ports.ts'
import { storageErrorCode } from './storage-reply.ts'

/**
 * `transient`: waiting heals it, so it is tried again without end. `permanent`: this file cannot go on as it is, the
 * others can. `fatal`: the transfer ends, and somebody has to do something.
 */
export type Verdict = 'transient' | 'permanent' | 'fatal'

export class Fault extends Error {
  override readonly name = 'Fault'
  readonly verdict: Verdict
  /** Stable name: one of the contract's errors where the cloud refused, else one of ours. */
  readonly code: string
  readonly retryAfterMs: number | undefined

  constructor(
    verdict: Verdict,
    code: string,
    message: string,
    more: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? {} : { cause: more.cause })
    this.verdict = verdict
    this.code = code
    this.retryAfterMs = more.retryAfterMs
  }
}

/** What a host throws when its own disk is the reason. */
export class HostFault extends Error {
  override readonly name = 'HostFault'
  readonly code: HostFaultCode

  constructor(code: HostFaultCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
  }
}

type HostFaultCode = keyof typeof hostVerdicts

const hostVerdicts = {
  source_gone: 'permanent',
  source_unreadable: 'permanent',
  /** Also where it ended before its size. */
  source_changed: 'permanent',
  // Every file would meet the same disk.
  disk_full: 'fatal',
  destination_refused: 'permanent',
} as const satisfies Record<string, Verdict>

/** The one place where anything thrown by a port is judged. */
export function judge(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  if (thrown instanceof HostFault) {
    return new Fault(hostVerdicts[thrown.code], thrown.code, thrown.message, { cause: thrown })
  }
  if (isRefusal(thrown)) return judgeRefusal(thrown)
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new Fault('transient', 'network', message, { cause: thrown })
}

/** What ended a transfer, for its outcome. What no port threw is a mistake of ours, and is thrown on. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault || error instanceof HostFault) return judge(error)
  throw error
}

/** A refusal of the cloud, as our client throws it. */
interface Refusal {
  readonly status: number
  readonly error?: string
  readonly message?: string
  /** Seconds. */
  readonly retryAfter?: number | undefined
}

function isRefusal(thrown: unknown): thrown is Refusal {
  return typeof thrown === 'object' && thrown !== null && 'status' in thrown && typeof thrown.status === 'number'
}

/** Also for the results of a batch, each of which is the refusal that its own call would have had. */
export function judgeRefusal(refusal: Refusal): Fault {
  const { status, error = `http_${status}`, message = `The server answered ${status}.`, retryAfter } = refusal
  return new Fault(cloudVerdict(status, error), error, message, {
    retryAfterMs: retryAfter === undefined ? undefined : retryAfter * 1_000,
    cause: refusal,
  })
}

const passing = new Set([408, 425, 429])

// Whatever file is asked about next, the answer would be the same.
const endsThePackage = new Set(['package_not_found', 'package_not_new', 'package_not_finalized'])

function cloudVerdict(status: number, error: string): Verdict {
  if (status >= 500 || passing.has(status)) return 'transient'
  // One infected file says nothing of the others.
  if (error === 'file_quarantined') return 'permanent'
  if (status === 401 || status === 403 || status === 410 || endsThePackage.has(error)) return 'fatal'
  return 'permanent'
}

/** Judges an answer of the store; undefined where it did what was asked. */
export function judgeReply(reply: StorageReply): Fault | undefined {
  const { status, text, retryAfterMs } = reply
  if (status >= 200 && status < 300) return undefined
  const said = storageErrorCode(text)
  const told = `Storage answered ${status}${said === undefined ? '' : ` ${said}`}.`
  if (status === 507 || said === 'QuotaExceeded') return new Fault('fatal', 'storage_full', told)
  // Expired, or signed by a clock that is off: a fresh address is all that can help.
  if (status === 403 || status === 401) return new Fault('transient', 'address_refused', told)
  if (status === 404) return new Fault('permanent', 'object_gone', told)
  if (status === 412) return new Fault('permanent', 'already_stored', told)
  if (status >= 500 || status === 409 || passing.has(status) || said === 'RequestTimeout') {
    return new Fault('transient', 'storage_unavailable', told, { retryAfterMs })
  }
  return new Fault('permanent', 'storage_refused', told)
}

export const sourceChanged = (name: string) =>
  new Fault('permanent', 'source_changed', `'${name}' changed while it was being sent.`)

/** It needs larger chunks than those it was begun with. */
export const sourceOutgrown = (name: string) =>
  new Fault('permanent', 'source_outgrown', `'${name}' became larger than it was planned for.`)

/** Signs that the line or the store has too much to do. */
export const isCongestion = (fault: Fault) => fault.code === 'storage_unavailable' || fault.code === 'stalled'

/** A browser is not shown a refusal of the store, only that something failed: the second time it is taken for one. */
export const addressMayBeStale = ({ code }: Fault, attempt: number) =>
  code === 'address_refused' || (code === 'network' && attempt > 0)
