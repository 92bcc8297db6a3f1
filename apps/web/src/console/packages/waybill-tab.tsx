import { waybill } from '@longshore/contract/cloud/files'
import { useQuery } from '@tanstack/react-query'
import { BadgeCheck, Download, Hourglass } from 'lucide-react'
import { useFormat, useText } from '#text/use-text.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { withPackageToken } from '../session/api.ts'
import type { Package } from './queries.ts'

/** What was sent, signed by the server, to be kept and checked years later. */
export function WaybillTab({ pkg }: { readonly pkg: Package }) {
  const text = useText<'console'>()
  const format = useFormat()
  const query = useQuery({
    queryKey: ['packages', pkg.team_id, 'waybill', pkg.id],
    queryFn: () => withPackageToken(pkg.access_token ?? '', waybill, { params: { package_id: pkg.id } }),
  })
  return (
    <Loaded query={query}>
      {(bill) => (
        <div className="flex max-w-2xl flex-col gap-4">
          <div className="card flex items-start gap-4 p-5">
            {bill.verified ? (
              <BadgeCheck size={32} aria-hidden className="flex-none text-good" />
            ) : (
              <Hourglass size={28} aria-hidden className="flex-none text-ink-faint" />
            )}
            <div>
              <h3>{text(bill.verified ? 'waybill.verified' : 'waybill.pending')}</h3>
              <p className="mt-1 text-ink-soft">
                {text(bill.verified ? 'waybill.verifiedHint' : 'waybill.pendingHint')}
              </p>
              <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
                <dt className="text-ink-soft">{text('waybill.finalized')}</dt>
                <dd>{format.dateTime(bill.package.finalized_at)}</dd>
                <dt className="text-ink-soft">{text('waybill.issuer')}</dt>
                <dd className="wrap-anywhere">{bill.issuer}</dd>
                <dt className="text-ink-soft">{text('package.size')}</dt>
                <dd className="numeric">
                  {format.bytes(bill.package.size)} ·{' '}
                  {text('package.files', { count: bill.files.length, number: format.number(bill.files.length) })}
                </dd>
              </dl>
            </div>
          </div>
          <Notice>{text('waybill.about')}</Notice>
          <button type="button" className="button self-start" onClick={() => save(`waybill-${pkg.id}.json`, bill)}>
            <Download size={17} aria-hidden />
            {text('waybill.save')}
          </button>
        </div>
      )}
    </Loaded>
  )
}

function save(name: string, content: unknown): void {
  const address = URL.createObjectURL(new Blob([JSON.stringify(content)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
