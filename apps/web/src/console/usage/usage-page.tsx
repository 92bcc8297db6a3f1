import { teamUsage } from '@longshore/contract/cloud/usage'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormat, useText } from '#text/use-text.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { useTeam } from '../frame/team.ts'
import { asUser } from '../session/api.ts'
import { UsageChart } from './usage-chart.tsx'

const spans = [7, 30, 90] as const
const measures = ['bytes', 'packages'] as const
type Measure = (typeof measures)[number]

export function UsagePage() {
  const text = useText<'console'>()
  const format = useFormat()
  const team = useTeam()
  const [days, setDays] = useState<number>(30)
  const [measure, setMeasure] = useState<Measure>('bytes')
  const usage = useQuery({
    queryKey: ['usage', team.id, days],
    queryFn: ({ signal }) => asUser(teamUsage, { params: { team_id: team.id }, query: { days } }, signal),
    placeholderData: keepPreviousData,
  })
  const told = measure === 'bytes' ? format.bytes : format.number
  return (
    <>
      <PageHead title={text('usage.title')} about={text('usage.about')}>
        <select
          className="input w-auto"
          aria-label={text('usage.measure')}
          value={measure}
          onChange={(event) => setMeasure(measures.find((one) => one === event.target.value) ?? 'bytes')}
        >
          {measures.map((one) => (
            <option key={one} value={one}>
              {text(`usage.${one}`)}
            </option>
          ))}
        </select>
        <select
          className="input w-auto"
          aria-label={text('usage.span')}
          value={days}
          onChange={(event) => setDays(Number(event.target.value))}
        >
          {spans.map((span) => (
            <option key={span} value={span}>
              {text('usage.days', { count: span })}
            </option>
          ))}
        </select>
      </PageHead>
      <Loaded query={usage}>
        {({ days: listed }) => {
          const sent = listed.map((day) => (measure === 'bytes' ? day.sent_bytes : day.sent_packages))
          const received = listed.map((day) => (measure === 'bytes' ? day.received_bytes : day.received_packages))
          const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
          return (
            <div className="flex flex-col gap-6">
              <dl className="grid gap-4 sm:grid-cols-3">
                <Figure label={text('usage.sent')} value={told(sum(sent))} look="text-accent" />
                <Figure label={text('usage.received')} value={told(sum(received))} look="text-signal" />
                <Figure
                  label={text('usage.downloads')}
                  value={format.number(sum(listed.map((day) => day.downloads)))}
                  look="text-ink"
                />
              </dl>
              <section className="card p-5">
                <UsageChart days={listed.map(({ day }) => day)} sent={sent} received={received} told={told} />
              </section>
              <details className="card p-5">
                <summary className="cursor-pointer font-semibold">{text('usage.table')}</summary>
                <div
                  className="mt-3 max-h-96 overflow-auto"
                  tabIndex={0}
                  role="region"
                  aria-label={text('usage.table')}
                >
                  <table className="table">
                    <thead>
                      <tr>
                        <th scope="col">{text('usage.day')}</th>
                        <th scope="col" className="end">
                          {text('usage.sent')}
                        </th>
                        <th scope="col" className="end">
                          {text('usage.received')}
                        </th>
                        <th scope="col" className="end">
                          {text('usage.downloads')}
                        </th>
                      </tr>
                    </thead>
                    <tbody>
                      {listed.toReversed().map((day, index) => (
                        <tr key={day.day}>
                          <td>{format.date(`${day.day}T12:00:00Z`)}</td>
                          <td className="numeric end">{told(sent.at(-1 - index) ?? 0)}</td>
                          <td className="numeric end">{told(received.at(-1 - index) ?? 0)}</td>
                          <td className="numeric end">{format.number(day.downloads)}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </div>
              </details>
            </div>
          )
        }}
      </Loaded>
    </>
  )
}

function Figure({ label, value, look }: { readonly label: string; readonly value: string; readonly look: string }) {
  return (
    <div className="card px-5 py-4">
      <dt className="text-sm text-ink-soft">{label}</dt>
      <dd className={`numeric mt-1 text-2xl font-semibold ${look}`}>{value}</dd>
    </div>
  )
}
