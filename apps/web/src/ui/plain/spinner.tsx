import { LoaderCircle } from 'lucide-react'
import { useText } from '#text/use-text.tsx'

/** Says that something is under way, to eyes and ears. */
export function Spinner({ size = 18 }: { readonly size?: number }) {
  const text = useText()
  return <LoaderCircle className="spinner" size={size} role="img" aria-label={text('ui.loading')} />
}
