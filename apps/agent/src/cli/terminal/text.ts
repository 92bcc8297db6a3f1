/**
 * Names come from strangers: what could move the cursor, change colours or turn a line around is shown by its number.
 */
export const harmless = (text: string): string =>
  text.replaceAll(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}])/u

/** How many columns of a terminal the text takes. Colours take none. */
export function widthOf(text: string): number {
  // oxlint-disable-next-line no-control-regex
  const plain = text.replaceAll(/\u001b\[[0-9;]*m/g, '')
  if (/^[\u0020-\u007e]*$/.test(plain)) return plain.length
  let width = 0
  for (const { segment } of graphemes.segment(plain)) width += wide.test(segment) ? 2 : 1
  return width
}

/** At most `width` columns. The middle goes: names differ at their beginning, and their end says what they are. */
export function shortened(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (width <= 1) return width <= 0 ? '' : '…'
  const characters = [...graphemes.segment(text)].map(({ segment }) => segment)
  const head = taken(characters, Math.ceil((width - 1) / 2))
  const tail = taken(characters.toReversed(), width - 1 - widthOf(head.join('')))
  return `${head.join('')}…${tail.toReversed().join('')}`
}

function taken(characters: readonly string[], width: number): string[] {
  const kept: string[] = []
  let used = 0
  for (const character of characters) {
    used += widthOf(character)
    if (used > width) break
    kept.push(character)
  }
  return kept
}

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))
export const padStart = (text: string, width: number): string => ' '.repeat(Math.max(0, width - widthOf(text))) + text
