import { type Static, Type } from 'typebox'
import { Bytes, Id, Line, Time, Word } from '#shapes'

/**
 * What a storage gateway and the cloud say to each other, over a WebSocket that the agent opens. Every message is one
 * JSON text. Bytes of files never go this way: they go straight between the agent and the store, by signed addresses.
 *
 * The agent says `hello` and hears `welcome`, or the socket is closed with one of `gatewayCloses`.
 */
export const gatewayPath = '/v1/storage_gateways/channel'
export const gatewayVersion = 1

/** Longest message. A page of a folder with the longest names fits. */
export const longestGatewayMessage = 8 * 1024 * 1024

/** Why the cloud closes the channel. It is worth coming back, but for `refused`, `deleted` and `renewed`. */
export const gatewayCloses = {
  /** The cloud is being restarted, or too busy. */
  restarting: 1012,
  tryLater: 1013,
  malformed: 4400,
  /** No such gateway, or not its secret. */
  refused: 4401,
  tooSlow: 4408,
  /** The same gateway has connected again. */
  replaced: 4409,
  /** The cloud connection was deleted. */
  deleted: 4410,
  /** The gateway was given another secret, which its agent has to be told. */
  renewed: 4411,
} as const

const Path = Type.String({
  maxLength: 4_096,
  description: 'Below the root of the gateway, `/` between names; empty: the root.',
})
const RequestId = Type.String({ minLength: 1, maxLength: 64 })

export const GatewayEntry = Type.Object({
  kind: Word(['file', 'directory']),
  name: Type.String({ minLength: 1, maxLength: 1_024 }),
  size: Type.Optional(Bytes),
  last_modified: Type.Optional(Time),
})
export type GatewayEntry = Static<typeof GatewayEntry>

export const FolderListing = Type.Object({
  entries: Type.Array(GatewayEntry, { maxItems: 1_000 }),
  next: Type.String({ maxLength: 4_096, description: 'For `after` of the next page; empty on the last.' }),
})
export type FolderListing = Static<typeof FolderListing>

/** What the cloud asks. */
export const GatewayQuestion = Type.Union([
  Type.Object({
    ask: Type.Literal('list'),
    path: Path,
    after: Type.String({ maxLength: 4_096 }),
    count: Type.Integer({ minimum: 1, maximum: 1_000 }),
  }),
  Type.Object({ ask: Type.Literal('stat'), path: Path }),
])
export type GatewayQuestion = Static<typeof GatewayQuestion>

/** A file to be fetched, with an address that is good for a while. */
export const DeliveredFile = Type.Object({
  id: Id,
  kind: Word(['file', 'directory']),
  path: Type.String(),
  name: Type.String(),
  size: Bytes,
  last_modified: Time,
  sha256: Type.String({ description: 'In hex; empty where it is not known.' }),
  url: Type.String({ description: 'Of a file; empty for a directory. GET, without further headers.' }),
})
export type DeliveredFile = Static<typeof DeliveredFile>

const order = { transfer_id: Id }

export const ToGateway = Type.Union([
  Type.Object({ type: Type.Literal('welcome'), version: Type.Integer(), heartbeat_seconds: Type.Integer() }),
  Type.Object({ type: Type.Literal('question'), request_id: RequestId, question: GatewayQuestion }),
  Type.Object({
    type: Type.Literal('deliver'),
    ...order,
    package_id: Id,
    folder: Type.String({ description: 'Below the root; the files of the package go in there.' }),
    size: Bytes,
  }),
  /**
   * The other way: what stands below the root becomes files of a package that is `new`. Names in the package count from
   * `folder`. The agent adds and finalizes files by the usual calls of the API, never the package itself.
   */
  Type.Object({
    type: Type.Literal('collect'),
    ...order,
    package_id: Id,
    token: Type.String({ description: 'For X-Package-Token: a write token of the package.' }),
    folder: Type.String({ description: 'Below the root; empty: the root.' }),
    paths: Type.Array(
      Type.String({ description: 'Below `folder`: a file, a folder with a slash at its end, or empty for all of it.' }),
    ),
  }),
  /** Of a delivery: what was fetched stays. Of a collection: files that have not arrived are removed from the package. */
  Type.Object({ type: Type.Literal('stop'), ...order }),
  Type.Object({
    type: Type.Literal('files'),
    request_id: RequestId,
    ...order,
    files: Type.Array(DeliveredFile),
    next: Type.String({ description: 'For `after` of the next page; empty on the last.' }),
    expires_at: Time,
  }),
  Type.Object({ type: Type.Literal('no_files'), request_id: RequestId, ...order }),
])
export type ToGateway = Static<typeof ToGateway>

export const GatewayHello = Type.Object({
  type: Type.Literal('hello'),
  version: Type.Literal(gatewayVersion),
  id: Id,
  secret: Line(256, { minLength: 1 }),
  permissions: Word(['r', 'w', 'rw']),
  collects: Type.Optional(Type.Boolean({ description: 'Whether it knows the order `collect`.' })),
})
export type GatewayHello = Static<typeof GatewayHello>

export const FromGateway = Type.Union([
  Type.Object({
    type: Type.Literal('answer'),
    request_id: RequestId,
    answer: Type.Union([
      Type.Object({ kind: Type.Literal('listing'), listing: FolderListing }),
      Type.Object({ kind: Type.Literal('entry'), entry: GatewayEntry }),
      Type.Object({
        kind: Type.Literal('no'),
        reason: Word(['not_found', 'not_a_directory', 'not_allowed', 'failed']),
      }),
    ]),
  }),
  /** Asks for files of a delivery, with fresh addresses. `after` is empty, or `next` of the page before. */
  Type.Object({
    type: Type.Literal('files_wanted'),
    request_id: RequestId,
    ...order,
    after: Type.String({ maxLength: 64 }),
  }),
  Type.Object({
    type: Type.Literal('progress'),
    ...order,
    progress: Bytes,
    /** Of a collection: only the agent knows how much there is. */
    size: Type.Optional(Bytes),
  }),
  Type.Object({ type: Type.Literal('delivered'), ...order }),
  /** Every file of a collection is in the package, and finalized. */
  Type.Object({
    type: Type.Literal('collected'),
    ...order,
    /** Entries below what was wanted that could not become files of a package. */
    left_out: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  }),
  Type.Object({
    type: Type.Literal('failed'),
    ...order,
    message: Line(500),
    /** Whether trying again by itself makes sense. */
    passing: Type.Boolean(),
  }),
])
export type FromGateway = Static<typeof FromGateway>
