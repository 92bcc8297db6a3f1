import { Agent } from 'undici'
import { guardedConnect, type Resolve } from './guarded-connect.ts'
import { reachable } from './public-address.ts'
import { dnsFirst } from './resolve.ts'

const connectMs = 10_000
// Between two pieces of an answer, or of what we send.
const silenceMs = 60_000
// Joining thousands of parts is work for a store, and it says nothing until it is done.
const answerMs = 300_000

/** Connections to other people's stores, at addresses that we may talk to. */
export const guardedAgent = (options: {
  /** Private ranges that the operator allows. */
  readonly allowedRanges: readonly string[]
  readonly resolve?: Resolve
}): Agent =>
  new Agent({
    connect: guardedConnect(options.resolve ?? dnsFirst(), reachable(options.allowedRanges), { connectMs }),
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: 64 * 1024,
    headersTimeout: answerMs,
    bodyTimeout: silenceMs,
    keepAliveTimeout: 4_000,
  })
