/** Headers and extras are edited as lines of `name: value`. */
export const linesOf = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

export function pairsOf(lines: string): Record<string, string> {
  const pairs = lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): [string, string] => {
      const colon = line.indexOf(':')
      return colon < 0 ? [line.trim(), ''] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
    })
  return Object.fromEntries(pairs)
}
