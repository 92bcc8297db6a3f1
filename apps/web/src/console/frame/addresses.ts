// `Mara Voss <mara@example.com>` and `"Voss, Mara" <mara@example.com>`, as mail programs copy them.
const named = /(^|[,;\n])[^\S\n]*(?:"[^"\n]*"|[^,;\n<>"@]*?)[^\S\n]*<([^<>\s]+)>/g

/** Email addresses as people type and paste them: by commas, lines or blanks, with names or without; each once. */
export const addressesIn = (text: string): string[] => [
  ...new Set(
    text
      .replaceAll('\r\n', '\n')
      .replaceAll(named, '$1$2 ')
      .split(/[\s,;]+/)
      .filter((address) => address !== ''),
  ),
]
