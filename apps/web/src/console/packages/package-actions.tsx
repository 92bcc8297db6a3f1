import { createLink } from '@longshore/contract/cloud/links'
import { archivePackage, deletePackage, unarchivePackage } from '@longshore/contract/cloud/packages'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Archive, ArchiveRestore, CalendarClock, Download, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useText } from '#text/use-text.tsx'
import { type Action, ActionMenu } from '#ui/kit/action-menu.tsx'
import { ConfirmDialog } from '#ui/kit/confirm-dialog.tsx'
import { sentenceOf } from '#ui/plain/refusal.tsx'
import { toast } from '#ui/plain/toasts.tsx'
import { withPackageToken } from '../session/api.ts'
import { EditDialog } from './edit-dialog.tsx'
import { ExpiryDialog } from './expiry-dialog.tsx'
import type { Package } from './queries.ts'

const dayInMs = 86_400_000

/** What can be done with a package as a whole. */
export function PackageActions({ pkg }: { readonly pkg: Package }) {
  const text = useText<'console'>()
  const client = useQueryClient()
  const [open, setOpen] = useState<'edit' | 'expiry' | 'delete'>()
  const params = { package_id: pkg.id }
  const token = pkg.access_token ?? ''
  const renew = () => client.invalidateQueries({ queryKey: ['packages'] })
  const close = () => setOpen(undefined)

  const remove = useMutation({
    mutationFn: () => withPackageToken(token, deletePackage, { params }),
    onSuccess: async () => {
      close()
      toast(text('package.deleted'))
      await renew()
    },
  })
  const archive = useMutation({
    mutationFn: (away: boolean) => withPackageToken(token, away ? archivePackage : unarchivePackage, { params }),
    onSuccess: renew,
    onError: (error) => toast(sentenceOf(text, error)),
  })
  // A token that manages may not read: whoever wants the files opens a link of their own, like any recipient.
  const fetchFiles = useMutation({
    mutationFn: () =>
      withPackageToken(token, createLink, {
        params,
        body: { expiry: new Date(Math.min(Date.now() + dayInMs, endOf(pkg))).toISOString() },
      }),
    onSuccess: async ({ url }) => {
      window.open(url, '_blank', 'noopener')
      await renew()
    },
    onError: (error) => toast(sentenceOf(text, error)),
  })

  const isOpen = pkg.state === 'new' || pkg.state === 'finalized'
  const actions: readonly Action[] = [
    ...(isOpen
      ? [
          { id: 'edit', label: text('package.edit'), icon: Pencil, onAction: () => setOpen('edit') },
          { id: 'expiry', label: text('package.changeExpiry'), icon: CalendarClock, onAction: () => setOpen('expiry') },
          {
            id: 'delete',
            label: text('package.delete'),
            icon: Trash2,
            isDangerous: true,
            onAction: () => setOpen('delete'),
          },
        ]
      : []),
    ...(pkg.state === 'expired'
      ? [{ id: 'archive', label: text('package.archive'), icon: Archive, onAction: () => archive.mutate(true) }]
      : []),
    ...(pkg.state === 'archived'
      ? [
          {
            id: 'unarchive',
            label: text('package.unarchive'),
            icon: ArchiveRestore,
            onAction: () => archive.mutate(false),
          },
        ]
      : []),
  ]
  return (
    <>
      {pkg.state === 'finalized' && (
        <button
          type="button"
          className="button button-primary"
          disabled={fetchFiles.isPending}
          onClick={() => fetchFiles.mutate()}
        >
          <Download size={17} aria-hidden />
          {text('package.download')}
        </button>
      )}
      <ActionMenu label={text('list.actionsOf', { name: pkg.name })} actions={actions} className="button button-icon" />
      {open === 'edit' && <EditDialog pkg={pkg} onClose={close} />}
      {open === 'expiry' && <ExpiryDialog pkg={pkg} onClose={close} />}
      <ConfirmDialog
        title={text('package.deleteTitle', { name: pkg.name })}
        action={text('package.delete')}
        isOpen={open === 'delete'}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={close}
      >
        {text('package.deleteHint')}
      </ConfirmDialog>
    </>
  )
}

const endOf = (pkg: Package) => (pkg.unlimited_storage ? Number.POSITIVE_INFINITY : Date.parse(pkg.expiry))
