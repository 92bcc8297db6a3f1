import { styleText } from 'node:util'

/** What a colour is used for here. The text says the same without it. */
type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

export type Paint = (style: Style, text: string) => string

export const unpainted: Paint = (_, text) => text

/** Colours where the stream is a terminal that has them, and neither NO_COLOR nor TERM=dumb speak against it. */
export const paintFor =
  (stream: NodeJS.WritableStream): Paint =>
  (style, text) =>
    styleText(style, text, { stream })
