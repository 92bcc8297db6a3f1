import { cleanLine } from './clean.ts'

/** Whose mail it is: of a Team, or of a Portal with its own colour and logo. */
export interface Brand {
  readonly name: string
  /** `#rrggbb`; anything else gives way to the default. */
  readonly color?: string
  readonly logoUrl?: string
}

export interface SafeBrand {
  readonly name: string
  readonly color: string
  readonly textOnColor: string
  readonly logoUrl: string
}

const defaultColor = '#1f5eff'
const dark = '#14161a'
const light = '#ffffff'

/** A brand that can stand in a style and in a `src`, whatever the Portal's owner wrote. */
export function safeBrand(brand: Brand | undefined): SafeBrand {
  const color = /^#[0-9a-f]{6}$/i.test(brand?.color ?? '') ? (brand?.color ?? defaultColor) : defaultColor
  return {
    name: cleanLine(brand?.name ?? '', 200) || 'Longshore',
    color,
    textOnColor: contrast(color, light) >= contrast(color, dark) ? light : dark,
    logoUrl: imageAddress(brand?.logoUrl ?? ''),
  }
}

function imageAddress(text: string): string {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : ''
}

/** As WCAG defines it. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
