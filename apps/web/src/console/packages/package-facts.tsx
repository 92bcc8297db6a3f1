import type { ReactNode } from 'react'
import { useFormat, useText } from '#text/use-text.tsx'
import { ExpiryText } from './expiry-text.tsx'
import type { Package } from './queries.ts'

/** What one wants to know at a glance. */
export function PackageFacts({ pkg }: { readonly pkg: Package }) {
  const text = useText<'console'>()
  const format = useFormat()
  const recipients = pkg.recipients ?? []
  return (
    <dl className="card grid grid-cols-2 gap-px overflow-hidden bg-line sm:grid-cols-3 lg:grid-cols-4">
      <Fact label={text('package.sender')} isLong>
        {pkg.sender}
      </Fact>
      <Fact label={text('package.recipients')} isLong>
        {recipients.length === 0
          ? '–'
          : recipients.length <= 3
            ? recipients.join(', ')
            : text('package.recipientCount', {
                first: recipients.slice(0, 2).join(', '),
                count: recipients.length - 2,
              })}
      </Fact>
      <Fact label={text('package.size')}>
        {pkg.state === 'new'
          ? '–'
          : `${format.bytes(pkg.size)} · ${text('package.files', { count: pkg.total_files, number: format.number(pkg.total_files) })}`}
      </Fact>
      <Fact label={text('package.downloads')}>{format.number(pkg.downloads)}</Fact>
      <Fact label={text('package.created')}>{format.dateTime(pkg.created_at)}</Fact>
      <Fact label={text('package.expiry')}>
        <ExpiryText pkg={pkg} />
        {!pkg.unlimited_storage && <span className="block text-sm text-ink-soft">{format.dateTime(pkg.expiry)}</span>}
      </Fact>
      <Fact label={text('package.limit')}>
        {pkg.access_limit === 0 ? text('package.noLimit') : format.number(pkg.access_limit)}
      </Fact>
      <Fact label={text('package.password')}>
        {text(pkg.password === undefined || pkg.password === '' ? 'package.no' : 'package.yes')}
      </Fact>
    </dl>
  )
}

interface FactProps {
  readonly label: string
  /** Addresses need the whole width of a phone. */
  readonly isLong?: boolean
  readonly children: ReactNode
}

function Fact({ label, isLong = false, children }: FactProps) {
  return (
    <div className={`bg-surface px-4 py-3 ${isLong ? 'max-sm:col-span-2' : ''}`}>
      <dt className="text-sm text-ink-soft">{label}</dt>
      <dd className="mt-0.5 font-medium wrap-anywhere">{children}</dd>
    </div>
  )
}
