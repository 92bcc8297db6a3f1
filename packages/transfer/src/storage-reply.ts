/** The few words that we need out of the XML of a store. */

export function uploadIdOf(xml: string): string | undefined {
  return textOf('UploadId', xml)
}

export function storageErrorCode(xml: string): string | undefined {
  // Not every <Code> is an error's: one stands below <Error> and names it.
  return xml.includes('<Error') ? textOf('Code', xml) : undefined
}

function textOf(element: string, xml: string): string | undefined {
  const found = new RegExp(`<${element}>([^<]+)</${element}>`).exec(xml)?.[1]
  return found === undefined ? undefined : unescaped(found.trim())
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const unescaped = (text: string) =>
  text.replaceAll(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
    return entities[name ?? ''] ?? whole
  })
