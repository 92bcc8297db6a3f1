/** What was seen of an entry, and since when it has looked like this. */
interface Watched {
  readonly print: string
  readonly since: number
}

/** Entries of a watched folder by their marks. */
export type Watching = ReadonlyMap<string, Watched>

/**
 * Takes in what a look has found. An entry is due when every look of so long a time has found the same; one that is
 * seen for the first time may have been there for years, or have been copied half a second ago.
 */
export function watchOn(
  before: Watching,
  seen: readonly { readonly mark: string; readonly print: string }[],
  now: number,
  quietMs: number,
): { readonly watching: Watching; readonly due: ReadonlySet<string> } {
  const watching = new Map(
    seen.map(({ mark, print }) => {
      const known = before.get(mark)
      return [mark, known?.print === print ? known : { print, since: now }]
    }),
  )
  const due = new Set([...watching].filter(([, { since }]) => now - since >= quietMs).map(([mark]) => mark))
  return { watching, due }
}
