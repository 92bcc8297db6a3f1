/**
 * Patterns in the manner of gitignore. Matched by hand and not by a regular expression: those take a time that grows
 * with a power of the length for patterns such as `*a*a*a*a*b`, and whoever may name a file could then stop an agent.
 */
export type Matches = (path: string, kind: 'file' | 'directory') => boolean

interface Pattern {
  readonly negated: boolean
  readonly foldersOnly: boolean
  readonly segments: readonly string[]
}

/** Whether a path is meant by the patterns: itself, or a folder that it is in. The last one that fits decides. */
export function readPatterns(lines: readonly string[]): Matches {
  const patterns = lines.flatMap(readPattern)
  const isMeant = (parts: readonly string[], kind: 'file' | 'directory') =>
    patterns.findLast(({ segments, foldersOnly }) => (kind === 'directory' || !foldersOnly) && fits(segments, parts))
      ?.negated === false
  return (path, kind) => {
    const parts = path.split('/')
    return parts.some((_, index) => isMeant(parts.slice(0, index + 1), index + 1 < parts.length ? 'directory' : kind))
  }
}

function readPattern(line: string): readonly Pattern[] {
  const text = line.replace(/(?<!\\)\s+$/, '')
  if (text === '' || text.startsWith('#')) return []
  const negated = text.startsWith('!')
  const foldersOnly = text.endsWith('/')
  const bare = text.slice(negated ? 1 : 0, foldersOnly ? -1 : undefined)
  // Without a slash inside it may stand in any folder.
  const segments = bare.replace(/^\//, '').split('/')
  return [{ negated, foldersOnly, segments: bare.includes('/') ? segments : ['**', ...segments] }]
}

/** Segment by segment; `**` stands for any number of folders. */
const fits = (pattern: readonly string[], parts: readonly string[]): boolean =>
  matchesAll(pattern, parts, (segment) => segment === '**', fitsName)

/** Sign by sign; `*` stands for any number of signs. */
const fitsName = (pattern: string, name: string): boolean =>
  matchesAll(
    signsOf(pattern),
    Array.from(name),
    (sign) => sign.any,
    (sign, char) => sign.fits(char),
  )

/**
 * Whether a pattern fits all of the items. Where a wildcard took too little, only the last one has to take more: what
 * came before it fits already. So no more steps are taken than items times signs.
 */
function matchesAll<Sign, Item>(
  pattern: readonly Sign[],
  items: readonly Item[],
  isWildcard: (sign: Sign) => boolean,
  fitsOne: (sign: Sign, item: Item) => boolean,
): boolean {
  let at = 0
  let wildcard = -1
  let taken = 0
  for (let index = 0; index < items.length; ) {
    const sign = pattern[at]
    const item = items[index] as Item
    if (sign !== undefined && isWildcard(sign)) {
      wildcard = at++
      taken = index
    } else if (sign !== undefined && fitsOne(sign, item)) {
      at++
      index++
    } else if (wildcard !== -1) {
      at = wildcard + 1
      index = ++taken
    } else return false
  }
  return pattern.slice(at).every(isWildcard)
}

interface Sign {
  readonly any: boolean
  readonly fits: (char: string) => boolean
}

const anyNumber: Sign = { any: true, fits: () => false }
const anyOne: Sign = { any: false, fits: () => true }
const exactly = (char: string): Sign => ({ any: false, fits: (other) => other === char })

function signsOf(pattern: string): readonly Sign[] {
  const signs: Sign[] = []
  const chars = Array.from(pattern)
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? ''
    if (char === '*') signs.push(anyNumber)
    else if (char === '?') signs.push(anyOne)
    else if (char === '\\' && at + 1 < chars.length) signs.push(exactly(chars[++at] ?? ''))
    else if (char === '[' && chars.indexOf(']', at + 2) !== -1) {
      const end = chars.indexOf(']', at + 2)
      signs.push(oneOf(chars.slice(at + 1, end)))
      at = end
    } else signs.push(exactly(char))
  }
  return signs
}

/** `[abc]`, `[a-z]`, `[!a-z]`. */
function oneOf(chars: readonly string[]): Sign {
  const negated = chars[0] === '!' || chars[0] === '^'
  const listed = negated ? chars.slice(1) : chars
  const isListed = (char: string) =>
    listed.some(
      (one, at) =>
        one === char ||
        (listed[at + 1] === '-' && listed[at + 2] !== undefined && one <= char && char <= (listed[at + 2] ?? '')),
    )
  return { any: false, fits: (char) => isListed(char) !== negated }
}
