import { Link } from '@tanstack/react-router'
import { useFormat, useText } from '#text/use-text.tsx'
import { SortHeader } from '#ui/plain/sort-header.tsx'
import { useTeam } from '../frame/team.ts'
import { ExpiryText } from './expiry-text.tsx'
import type { Package } from './queries.ts'
import { StateBadge } from './state-badge.tsx'

interface PackageTableProps {
  readonly label: string
  readonly packages: readonly Package[]
  readonly sort: string
  readonly onSort: (sort: string) => void
}

export function PackageTable({ label, packages, sort, onSort }: PackageTableProps) {
  const text = useText<'console'>()
  const format = useFormat()
  const team = useTeam()
  return (
    <div className="table-frame">
      <table className="table" aria-label={label}>
        <thead>
          <tr>
            <SortHeader label={text('package.name')} field="name" sort={sort} onSort={onSort} />
            <SortHeader label={text('package.status')} field="status" sort={sort} onSort={onSort} />
            <SortHeader
              label={text('package.sender')}
              field="sender"
              sort={sort}
              onSort={onSort}
              className="max-md:hidden"
            />
            <SortHeader
              label={text('package.size')}
              field="size"
              sort={sort}
              onSort={onSort}
              className="end max-sm:hidden"
            />
            <th scope="col" className="end max-lg:hidden">
              {text('package.downloads')}
            </th>
            <SortHeader
              label={text('package.created')}
              field="created_at"
              sort={sort}
              onSort={onSort}
              className="max-md:hidden"
            />
            <SortHeader
              label={text('package.expiry')}
              field="expiry"
              sort={sort}
              onSort={onSort}
              className="max-lg:hidden"
            />
          </tr>
        </thead>
        <tbody>
          {packages.map((pkg) => (
            <tr key={pkg.id}>
              <td className="min-w-44 wrap-anywhere">
                <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                  <Link
                    to="/console/$team/packages/$packageId"
                    params={{ team: team.subdomain, packageId: pkg.id }}
                    className="font-semibold hover:underline"
                  >
                    {pkg.name}
                  </Link>
                  {pkg.tag !== undefined && <span className="badge badge-accent badge-name">{pkg.tag.name}</span>}
                </span>
                <span className="block text-sm text-ink-soft">
                  {pkg.state === 'new'
                    ? text('package.notYetSent')
                    : text('package.files', { count: pkg.total_files, number: format.number(pkg.total_files) })}
                  {pkg.state !== 'new' && <span className="sm:hidden"> · {format.bytes(pkg.size)}</span>}
                  <span className="md:hidden"> · {format.date(pkg.created_at)}</span>
                </span>
              </td>
              <td>
                <StateBadge state={pkg.state} containsVirus={pkg.contains_virus} />
              </td>
              <td className="text-ink-soft max-md:hidden">{pkg.sender}</td>
              <td className="numeric end whitespace-nowrap max-sm:hidden">
                {pkg.state === 'new' ? '–' : format.bytes(pkg.size)}
              </td>
              <td className="numeric end max-lg:hidden">{format.number(pkg.downloads)}</td>
              <td className="whitespace-nowrap text-ink-soft max-md:hidden">
                <time dateTime={pkg.created_at} title={format.dateTime(pkg.created_at)}>
                  {format.date(pkg.created_at)}
                </time>
              </td>
              <td className="whitespace-nowrap text-ink-soft max-lg:hidden">
                <ExpiryText pkg={pkg} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
