import { X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { useText } from '#text/use-text.tsx'

interface Toast {
  readonly id: number
  readonly sentence: string
}

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function show(next: readonly Toast[]): void {
  toasts = next
  for (const tell of listeners) tell()
}

const lasting = 6_000

/** Says shortly that something was done. What failed is told where it was tried, and stays. */
export function toast(sentence: string): void {
  const id = ++lastId
  show([...toasts.slice(-2), { id, sentence }])
  setTimeout(() => dismiss(id), lasting)
}

const dismiss = (id: number) => show(toasts.filter((one) => one.id !== id))

const subscribe = (tell: () => void) => {
  listeners.add(tell)
  return () => listeners.delete(tell)
}

export function Toasts() {
  const text = useText()
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, sentence }) => (
        <div key={id} className="toast">
          <span className="flex-1 wrap-anywhere">{sentence}</span>
          <button
            type="button"
            className="cursor-pointer p-1"
            aria-label={text('ui.close')}
            onClick={() => dismiss(id)}
          >
            <X size={16} aria-hidden />
          </button>
        </div>
      ))}
    </div>
  )
}
