import { useFormat, useText } from '#text/use-text.tsx'
import type { Package } from './queries.ts'

/** When a package ends, or that it does not. */
export function ExpiryText({ pkg }: { readonly pkg: Pick<Package, 'expiry' | 'unlimited_storage'> }) {
  const text = useText<'console'>()
  const format = useFormat()
  if (pkg.unlimited_storage) return text('package.neverExpires')
  return (
    <time dateTime={pkg.expiry} title={format.dateTime(pkg.expiry)}>
      {format.relative(pkg.expiry)}
    </time>
  )
}
