/** What is remembered of a sending, and what is seen of an entry. */
interface Known {
  readonly name: string
  readonly mark: string
  readonly print: string
}

/** How the memory knows an entry: for certain, only if nothing in it has changed, or not at all. */
export type Acquaintance<Sending> =
  | { readonly known: 'surely'; readonly sending: Sending }
  | { readonly known: 'if it looks the same'; readonly sendings: readonly Sending[] }
  | undefined

/** What was sent, by what it can be known by: a folder keeps thousands of entries, and each is looked up at each look. */
export interface Memory<Sending> {
  readonly byMark: ReadonlyMap<string, readonly Sending[]>
  readonly byName: ReadonlyMap<string, readonly Sending[]>
}

export const remember = <Sending extends Known>(sendings: readonly Sending[]): Memory<Sending> => ({
  byMark: Map.groupBy(sendings, ({ mark }) => mark),
  byName: Map.groupBy(sendings, ({ name }) => name),
})

/**
 * Inode and time of birth stay when a folder is renamed, and no other folder has them. Some shares know no time of
 * birth, so an inode may come again there: then the name or the content must agree as well. Some number their files anew
 * each time they are mounted: what has the name and the content of something that was sent is that.
 */
export function recognise<Sending extends Known>(
  { byMark, byName }: Memory<Sending>,
  { name, mark }: Pick<Known, 'name' | 'mark'>,
): Acquaintance<Sending> {
  const born = !mark.endsWith(':0')
  const marked = byMark.get(mark) ?? []
  const sure = marked.find((sent) => born || sent.name === name)
  if (sure !== undefined) return { known: 'surely', sending: sure }
  const likely = [...marked, ...(byName.get(name) ?? [])]
  return likely.length === 0 ? undefined : { known: 'if it looks the same', sendings: likely }
}
