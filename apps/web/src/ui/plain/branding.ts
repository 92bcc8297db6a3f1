/** Dresses the page in the colour of a Portal or Team. Anything but `#rrggbb` is left alone. */
export function applyColor(color: string): void {
  if (!/^#[0-9a-f]{6}$/i.test(color)) return
  const { style } = document.documentElement
  style.setProperty('--accent', color)
  style.setProperty('--accent-strong', `color-mix(in oklab, ${color} 84%, var(--ink))`)
  style.setProperty('--on-accent', isLight(color) ? '#0d1517' : '#ffffff')
}

/** Whether dark letters are easier to read on it than white ones. */
function isLight(color: string): boolean {
  const [red, green, blue] = [1, 3, 5].map((at) => linear(Number.parseInt(color.slice(at, at + 2), 16) / 255)) as [
    number,
    number,
    number,
  ]
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return (luminance + 0.05) / (0.007 + 0.05) > 1.05 / (luminance + 0.05)
}

const linear = (channel: number) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4)
