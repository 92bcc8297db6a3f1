/** What the command line is lent by the program that it is a part of. */
export interface Self {
  readonly version: string
  /** How this very program is called again: by Node with a script, or as an executable of its own. */
  readonly command: readonly string[]
  /** Runs the agent in this process, until it is told to end. */
  readonly runAgent: (args: readonly string[]) => Promise<void>
}
