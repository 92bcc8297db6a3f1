export interface NewFeedEvent {
  readonly type: string
  /** JSON. As text, because it is made once and passed on many times. */
  readonly data: string
  /** What only those need who pass it on. */
  readonly about?: unknown
}

/** An event in its channel. Ids of a channel grow. */
export interface FeedEvent extends NewFeedEvent {
  readonly id: string
}

export interface FeedFollower {
  heard(event: FeedEvent): void
  /** Something may have happened in this channel that will never be heard. Comes after what can still be told. */
  missed(): void
}

/**
 * Tells what happens to whoever follows it, in every process. The latest events of a channel are kept for a while, so
 * that a follower who was away goes on where they stopped.
 */
export interface Feed {
  /** Never waits and never fails. Every channel has its own id for the event. */
  publish(channels: readonly string[], event: NewFeedEvent): void
  /** From now on, or behind the event with this id. Answers how to stop. */
  follow(channel: string, after: string | undefined, follower: FeedFollower): () => void
  /** Whether anyone follows one of these, in any process. */
  isFollowed(channels: readonly string[]): Promise<boolean>
}
