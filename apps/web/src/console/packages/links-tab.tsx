import { deleteLink, listLinks, updateLink } from '@longshore/contract/cloud/links'
import { zeroTime } from '@longshore/contract/limits'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Ban, Link2, LockKeyhole, Pencil, Plus, Power } from 'lucide-react'
import { useState } from 'react'
import { useFormat, useText } from '#text/use-text.tsx'
import { type Action, ActionMenu } from '#ui/kit/action-menu.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { withPackageToken } from '../session/api.ts'
import { LinkDialog } from './link-dialog.tsx'
import type { Link, Package } from './queries.ts'

/** Who can fetch the package, and who has. */
export function LinksTab({ pkg }: { readonly pkg: Package }) {
  const text = useText<'console'>()
  const [edited, setEdited] = useState<Link | 'new'>()
  const links = useQuery({
    queryKey: ['packages', pkg.team_id, 'links', pkg.id],
    queryFn: () => withPackageToken(pkg.access_token ?? '', listLinks, { params: { package_id: pkg.id } }),
  })
  const isOpen = pkg.state === 'new' || pkg.state === 'finalized'
  return (
    <div className="flex flex-col gap-4">
      {isOpen && (
        <button type="button" className="button button-primary self-start" onClick={() => setEdited('new')}>
          <Plus size={17} aria-hidden />
          {text('links.new')}
        </button>
      )}
      <Loaded query={links}>
        {(listed) =>
          listed.length === 0 ? (
            <EmptyState icon={Link2} title={text('links.none')}>
              <p>{text('links.noneHint')}</p>
            </EmptyState>
          ) : (
            <LinkTable pkg={pkg} links={listed} onEdit={setEdited} canChange={isOpen} />
          )
        }
      </Loaded>
      <LinkDialog
        key={edited === 'new' ? 'new' : edited?.id}
        pkg={pkg}
        link={edited}
        onClose={() => setEdited(undefined)}
      />
    </div>
  )
}

interface LinkTableProps {
  readonly pkg: Package
  readonly links: readonly Link[]
  readonly canChange: boolean
  readonly onEdit: (link: Link) => void
}

function LinkTable({ pkg, links, canChange, onEdit }: LinkTableProps) {
  const text = useText<'console'>()
  const format = useFormat()
  const client = useQueryClient()
  const token = pkg.access_token ?? ''
  const change = useMutation({
    mutationFn: async ({ link, deed }: { link: Link; deed: 'switch' | 'block' }) => {
      const params = { package_id: pkg.id, link_id: link.id }
      if (deed === 'block') await withPackageToken(token, deleteLink, { params })
      else await withPackageToken(token, updateLink, { params, body: { active: !link.active } })
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['packages', pkg.team_id, 'links', pkg.id] }),
  })
  const accessesOf = ({ access_count, access_limit, access_limit_enabled }: Link) =>
    access_limit_enabled
      ? `${format.number(access_count)} / ${format.number(access_limit)}`
      : format.number(access_count)
  const actionsOf = (link: Link): readonly Action[] => [
    { id: 'edit', label: text('links.edit'), icon: Pencil, onAction: () => onEdit(link) },
    {
      id: 'switch',
      label: text(link.active ? 'links.switchOff' : 'links.switchOn'),
      icon: Power,
      onAction: () => change.mutate({ link, deed: 'switch' }),
    },
    {
      id: 'block',
      label: text('links.block'),
      icon: Ban,
      isDangerous: true,
      onAction: () => change.mutate({ link, deed: 'block' }),
    },
  ]
  return (
    <>
      <Refusal error={change.error} />
      <div className="card table-frame">
        <table className="table" aria-label={text('links.title')}>
          <thead>
            <tr>
              <th scope="col">{text('links.recipient')}</th>
              <th scope="col">{text('package.status')}</th>
              <th scope="col" className="end max-sm:hidden">
                {text('links.accesses')}
              </th>
              <th scope="col" className="max-sm:hidden">
                {text('links.lastAccess')}
              </th>
              <th scope="col" className="max-md:hidden">
                {text('package.expiry')}
              </th>
              <th scope="col" className="max-md:hidden">
                {text('package.created')}
              </th>
              {canChange && (
                <th scope="col">
                  <span className="sr-only">{text('list.actions')}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {links.map((link) => (
              <tr key={link.id}>
                <td className="font-medium wrap-anywhere">
                  {link.email === '' ? text('links.anyone') : link.email}
                  {link.password !== '' && (
                    <LockKeyhole
                      size={14}
                      role="img"
                      aria-label={text('links.hasPassword')}
                      className="ml-2 inline text-ink-faint"
                    />
                  )}
                  <span className="numeric block text-sm font-normal text-ink-soft sm:hidden">
                    {text('links.accesses')}: {accessesOf(link)}
                  </span>
                </td>
                <td>
                  <LinkState link={link} />
                </td>
                <td className="numeric end max-sm:hidden">{accessesOf(link)}</td>
                <td className="whitespace-nowrap text-ink-soft max-sm:hidden">
                  {link.last_access_at === zeroTime ? text('links.notYet') : format.dateTime(link.last_access_at)}
                </td>
                <td className="whitespace-nowrap text-ink-soft max-md:hidden">
                  {link.expiry === zeroTime ? text('package.neverExpires') : format.dateTime(link.expiry)}
                </td>
                <td className="whitespace-nowrap text-ink-soft max-md:hidden">{format.dateTime(link.created_at)}</td>
                {canChange && (
                  <td className="end">
                    <ActionMenu
                      label={text('list.actionsOf', { name: link.email === '' ? text('links.anyone') : link.email })}
                      actions={actionsOf(link)}
                    />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function LinkState({ link }: { readonly link: Link }) {
  const text = useText<'console'>()
  if (!link.active) return <span className="badge">{text('links.off')}</span>
  if (link.locked) return <span className="badge badge-warn">{text('links.locked')}</span>
  return <span className="badge badge-good">{text('links.on')}</span>
}
