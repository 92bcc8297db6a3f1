import { readForm } from '@longshore/contract/cloud/forms'
import { deletePortal } from '@longshore/contract/cloud/portals'
import { ApiError } from '@longshore/client/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { ConfirmDialog } from '#ui/kit/confirm-dialog.tsx'
import { TabSet } from '#ui/kit/tab-set.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { toast } from '#ui/plain/toasts.tsx'
import { BackLink } from '../frame/back-link.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { useTeam } from '../frame/team.ts'
import { useTimeZone } from '../frame/time-zone.ts'
import { asUser } from '../session/api.ts'
import { draftOf, type Form, type PortalDraft } from './draft.ts'
import { EditAccess } from './edit-access.tsx'
import { EditGeneral } from './edit-general.tsx'
import { EditLimits } from './edit-limits.tsx'
import { EditLook } from './edit-look.tsx'
import { FormBuilder } from './form-builder.tsx'
import { PortalPreview } from './portal-preview.tsx'
import { type Portal, portalQuery } from './queries.ts'
import { savePortal } from './save-portal.ts'

export function NewPortalPage() {
  return <PortalEditor portal={undefined} form={undefined} />
}

export function PortalPage() {
  const { portalId } = useParams({ from: '/console/$team/portals/$portalId' })
  const portal = useQuery(portalQuery(portalId))
  const form = useQuery({ queryKey: ['portals', 'form', portalId], queryFn: () => formOf(portalId) })
  return (
    <Loaded query={portal}>
      {(read) => (
        <Loaded query={form}>
          {(answers) => <PortalEditor key={read.id} portal={read} form={answers ?? undefined} />}
        </Loaded>
      )}
    </Loaded>
  )
}

async function formOf(portalId: string): Promise<Form | null> {
  try {
    return await asUser(readForm, { params: { portal_id: portalId } })
  } catch (error) {
    if (error instanceof ApiError && error.error === 'form_not_found') return null
    throw error
  }
}

interface PortalEditorProps {
  readonly portal: Portal | undefined
  readonly form: Form | undefined
}

function PortalEditor({ portal, form }: PortalEditorProps) {
  const text = useText<'console'>()
  const team = useTeam()
  const client = useQueryClient()
  const navigate = useNavigate()
  const methods = useForm<PortalDraft>({ defaultValues: draftOf(portal ?? {}, form, useTimeZone()) })
  const save = useMutation({
    mutationFn: (draft: PortalDraft) => savePortal(team.id, { portal, form }, draft),
    onSuccess: async (saved, draft) => {
      methods.reset({ ...draft, fields: draft.fields.map((field) => ({ ...field, isNamedByLabel: false })) })
      toast(text('portals.saved', { name: saved.name }))
      await client.invalidateQueries({ queryKey: ['portals'] })
      if (portal === undefined) {
        await navigate({ to: '/console/$team/portals/$portalId', params: { team: team.subdomain, portalId: saved.id } })
      }
    },
  })
  const tabs = [
    { id: 'general', label: text('portals.general'), content: <EditGeneral isNew={portal === undefined} /> },
    { id: 'look', label: text('portals.look'), content: <EditLook /> },
    { id: 'form', label: text('portals.form'), content: <FormBuilder /> },
    { id: 'access', label: text('portals.access'), content: <EditAccess /> },
    { id: 'limits', label: text('portals.limits'), content: <EditLimits /> },
  ]
  return (
    <>
      <BackLink to="/console/$team/portals">{text('portals.title')}</BackLink>
      <FormProvider {...methods}>
        <form onSubmit={(event) => void methods.handleSubmit((draft) => save.mutate(draft))(event)}>
          <PageHead title={portal?.name ?? text('portals.new')}>
            {portal !== undefined && <DeletePortal portal={portal} />}
            <button type="submit" className="button button-primary" disabled={save.isPending}>
              {text(portal === undefined ? 'portals.create' : 'ui.save')}
            </button>
          </PageHead>
          <Refusal error={save.error} />
          <div className="grid gap-8 xl:grid-cols-[minmax(0,1fr)_22rem]">
            <div className="min-w-0">
              <TabSet label={text('portals.parts')} tabs={tabs} />
            </div>
            <PortalPreview />
          </div>
        </form>
      </FormProvider>
    </>
  )
}

function DeletePortal({ portal }: { readonly portal: Portal }) {
  const text = useText<'console'>()
  const team = useTeam()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const remove = useMutation({
    mutationFn: () => asUser(deletePortal, { params: { portal_id: portal.id } }),
    onSuccess: async () => {
      await navigate({ to: '/console/$team/portals', params: { team: team.subdomain } })
      await client.invalidateQueries({ queryKey: ['portals'] })
    },
  })
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        <Trash2 size={17} aria-hidden />
        {text('list.delete')}
      </button>
      <ConfirmDialog
        title={text('portals.deleteTitle', { name: portal.name })}
        action={text('list.delete')}
        isOpen={isOpen}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setOpen(false)}
      >
        {text('portals.deleteHint')}
      </ConfirmDialog>
    </>
  )
}
