import { CircleCheckBig, Printer } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useFormat, useText } from '#text/use-text.tsx'
import type { Portal } from './portal.ts'

export interface ReceiptFacts {
  readonly id: string
  readonly name: string
  readonly sender: string
  readonly files: number
  readonly bytes: number
  /** ISO 8601. */
  readonly at: string
}

/** The receipt stays for this tab until the sender sends something else. */
export const keptReceipt = {
  get: (portalId: string): ReceiptFacts | undefined => {
    const kept = sessionStorage.getItem(`longshore.receipt.${portalId}`)
    return kept === null ? undefined : (JSON.parse(kept) as ReceiptFacts)
  },
  set: (portalId: string, receipt: ReceiptFacts) =>
    sessionStorage.setItem(`longshore.receipt.${portalId}`, JSON.stringify(receipt)),
  forget: (portalId: string) => sessionStorage.removeItem(`longshore.receipt.${portalId}`),
}

interface ReceiptProps {
  readonly portal: Portal
  readonly receipt: ReceiptFacts
  readonly more: () => void
}

/** Everything arrived. */
export function Receipt({ portal, receipt, more }: ReceiptProps) {
  const text = useText<'portal'>()
  const format = useFormat()
  const heading = useRef<HTMLHeadingElement>(null)
  // What was under the focus is gone; a screen reader goes on here.
  useEffect(() => heading.current?.focus(), [])
  const facts = [
    [text('portal.receipt.name'), receipt.name],
    [text('portal.receipt.to'), portal.name],
    [text('portal.receipt.from'), receipt.sender],
    [
      text('portal.receipt.what'),
      text('portal.total', {
        count: receipt.files,
        number: format.number(receipt.files),
        size: format.bytes(receipt.bytes),
      }),
    ],
    [text('portal.receipt.at'), format.dateTime(receipt.at)],
    [text('portal.receipt.reference'), receipt.id],
  ] as const
  return (
    <section className="card flex flex-col gap-6 p-6 sm:p-8">
      <div className="flex items-center gap-4">
        <CircleCheckBig className="flex-none text-good" size={36} strokeWidth={1.75} aria-hidden />
        <div>
          <h1 ref={heading} tabIndex={-1} className="outline-none">
            {text('portal.receipt')}
          </h1>
          <p className="text-ink-soft">{text('portal.receipt.hint')}</p>
        </div>
      </div>
      <dl className="grid gap-x-6 gap-y-3 border-y border-line py-5 sm:grid-cols-[max-content_1fr]">
        {facts.map(([label, value]) => (
          <div key={label} className="grid gap-x-6 sm:col-span-2 sm:grid-cols-subgrid">
            <dt className="text-ink-soft">{label}</dt>
            <dd className="numeric min-w-0 [overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
      </dl>
      <div className="flex flex-wrap gap-2 print:hidden">
        <button type="button" className="button button-primary" onClick={more}>
          {text('portal.more')}
        </button>
        <button type="button" className="button" onClick={() => print()}>
          <Printer size={16} aria-hidden />
          {text('portal.print')}
        </button>
      </div>
    </section>
  )
}
