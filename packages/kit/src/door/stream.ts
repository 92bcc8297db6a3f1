/** What a door sends on as server-sent events. */
export interface StreamEvent {
  /** Left out for what is no event of its own and cannot be gone on from. */
  readonly id?: string
  readonly type: string
  /** JSON. */
  readonly data: string
}

/** Who reads a stream, as the door sees them. */
export interface Reader {
  tell(event: StreamEvent): void
  /** Shows that the stream lives, to the reader and to every proxy in between. */
  beat(): void
  end(): void
}

/** Begins to tell a reader, and answers how to stop. */
export type Stream = (reader: Reader) => () => void

/** A reply of server-sent events, which goes on until one of both sides ends it. */
export class EventStream {
  readonly stream: Stream
  constructor(stream: Stream) {
    this.stream = stream
  }
}
