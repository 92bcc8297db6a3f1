import { Misuse } from '#cli/misuse'

/** The one of several that is meant: by its id, the end of it, or its name where only one has it. */
export function pickOne<One>(
  all: readonly One[],
  wanted: string,
  called: {
    readonly what: string
    readonly lister: string
    readonly by: (one: One) => readonly [id: string, name: string]
  },
): One {
  const found = all.filter((one) => {
    const [id, name] = called.by(one)
    return id.endsWith(wanted) || name === wanted
  })
  const [one, another] = found
  if (one === undefined) throw new Misuse(`There is no ${called.what} '${wanted}'. ${called.lister} lists them.`)
  if (another !== undefined) throw new Misuse(`Several ${called.what}s are meant by '${wanted}'. Take an id.`)
  return one
}
