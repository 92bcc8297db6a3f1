// Control characters, line and paragraph separators, and the characters that turn the direction of what follows: with
// those `annexe[U+202E]gpj.exe` reads as a picture. Right-to-left scripts need none of them.
const unwanted = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+/g

// Longer than any name that we accept, and short enough that no mail becomes a flood.
const longestLine = 1_000
// A line of a message is a paragraph of it; the contract bounds the whole.
const longestParagraph = 10_000
const mostLines = 200

/** One line without anything that a header, a terminal or a reader could be deceived by. */
export function cleanLine(text: string, longest = longestLine): string {
  const line = text.toWellFormed().replaceAll(unwanted, ' ').replaceAll(/\s+/g, ' ').trim()
  return cut(line, longest)
}

// What a reader sees as one character may be many: a family emoji has 11 units.
const longestCharacter = 64

/** Cuts between characters as a reader sees them, so that no emoji is left in halves. */
function cut(line: string, longest: number): string {
  if (line.length <= longest) return line
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(line.slice(0, longest + longestCharacter))) {
    if (kept.length + segment.length >= longest) break
    kept += segment
  }
  return `${kept}…`
}

/** The lines of a text; no more of them than a mail should have. */
export function linesOf(text: string, longest = longestParagraph): string[] {
  const trimmed = cut(text.trim(), longest)
  if (trimmed === '') return []
  const lines = trimmed.split(/\r\n|[\n\r\u2028\u2029]/)
  return lines.length > mostLines ? [...lines.slice(0, mostLines), '…'] : lines
}

/** Every string in a value, cleaned. */
export function cleanDeep(value: unknown): unknown {
  if (typeof value === 'string') return cleanLine(value)
  if (Array.isArray(value)) return value.map(cleanItem)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleanDeep(inner)]))
  }
  return value
}

const cleanItem = (item: unknown) => (typeof item === 'string' ? cleanLine(item, longestParagraph) : cleanDeep(item))
