import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useText } from '#text/use-text.tsx'

interface CopyFieldProps {
  readonly label: string
  readonly value: string
  /** Longer than a line. */
  readonly isLong?: boolean
}

/** A value to be taken elsewhere: shown whole, copied by one press. */
export function CopyField({ label, value, isLong = false }: CopyFieldProps) {
  const text = useText()
  const [copied, setCopied] = useState(false)
  const Field = isLong ? 'textarea' : 'input'
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <div className="flex items-start gap-2">
      <Field
        className={`input font-mono text-sm ${isLong ? 'min-h-0 field-sizing-content' : ''}`}
        aria-label={label}
        readOnly
        value={value}
        onFocus={(event) => event.target.select()}
      />
      <button
        type="button"
        className="button"
        onClick={() => void navigator.clipboard.writeText(value).then(() => setCopied(true))}
      >
        {copied ? <Check size={17} aria-hidden /> : <Copy size={17} aria-hidden />}
        <span aria-live="polite">{text(copied ? 'ui.copied' : 'ui.copy')}</span>
      </button>
    </div>
  )
}
