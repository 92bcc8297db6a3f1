import { createTeamPackage } from '@longshore/contract/cloud/packages'
import { readTeamSettings } from '@longshore/contract/cloud/team'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useForm } from 'react-hook-form'
import { chooseInto, dropInto, pickInto } from '#browser/pick.ts'
import type { Upload, UploadView } from '#browser/upload.ts'
import { useFormat, useText } from '#text/use-text.tsx'
import { DropZone } from '#ui/plain/drop-zone.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { UploadList } from '#ui/plain/upload-list.tsx'
import { useTeam } from '../frame/team.ts'
import { asUser } from '../session/api.ts'

interface Answers {
  readonly name: string
  readonly description: string
  readonly recipients: string
  readonly password: string
  readonly limit: string
  readonly forever: boolean
}

interface ComposeProps {
  readonly upload: Upload
  readonly view: UploadView
  readonly onBegin: (packageId: string) => void
}

/** What is sent, to whom, and on which terms. */
export function Compose({ upload, view, onBegin }: ComposeProps) {
  const text = useText<'console'>()
  const format = useFormat()
  const team = useTeam()
  const { data: settings } = useQuery({
    queryKey: ['settings', team.id],
    queryFn: ({ signal }) => asUser(readTeamSettings, { params: { team_id: team.id } }, signal),
  })
  const { register, handleSubmit, formState } = useForm<Answers>()
  const begin = useMutation({
    mutationFn: ({ name, description, recipients, password, limit, forever }: Answers) =>
      asUser(createTeamPackage, {
        params: { team_id: team.id },
        body: {
          name,
          description,
          recipients: [...new Set(recipients.split(/[\s,;]+/).filter((one) => one !== ''))],
          ...(password === '' ? {} : { password }),
          ...(limit === '' ? {} : { access_limit: Number(limit) }),
          ...(forever ? { unlimited_storage: true } : {}),
        },
      }),
    onSuccess: ({ id, name, access_token }) => {
      upload.begin({ id, token: access_token ?? '', place: `console:${team.id}`, name, more: {} })
      onBegin(id)
    },
  })
  const nothing = view.files === 0
  return (
    <form
      className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]"
      onSubmit={(event) => void handleSubmit((a) => !nothing && !view.looking && begin.mutate(a))(event)}
    >
      <section className="flex min-w-0 flex-col gap-3" aria-label={text('files.title')}>
        <DropZone
          title={text('send.drop')}
          compact={view.entries.length > 0}
          dropped={(data) => dropInto(upload, data)}
          chosen={(files) => chooseInto(upload, files)}
          pick={(what) => pickInto(upload, what)}
        />
        {view.entries.length > 0 && (
          <div className="card overflow-hidden">
            <UploadList
              label={text('files.title')}
              entries={view.entries}
              problemOf={() => undefined}
              remove={({ n }) => upload.remove([n])}
            />
          </div>
        )}
        {view.files > 0 && (
          <p className="numeric text-ink-soft" aria-live="polite">
            {text('send.chosen', {
              count: view.files,
              number: format.number(view.files),
              size: format.bytes(view.bytes),
            })}
          </p>
        )}
        {formState.isSubmitted && nothing && <Notice kind="warn">{text('send.noFiles')}</Notice>}
      </section>
      <section className="card flex flex-col gap-4 p-5" aria-label={text('nav.send')}>
        <Labelled label={text('package.name')}>
          {(field) => <input {...field} className="input" required maxLength={255} {...register('name')} />}
        </Labelled>
        <Labelled label={text('send.recipients')} hint={text('send.recipientsHint')}>
          {(field) => <textarea {...field} className="input" spellCheck={false} {...register('recipients')} />}
        </Labelled>
        <Labelled label={text('package.description')}>
          {(field) => <textarea {...field} className="input" maxLength={10_000} {...register('description')} />}
        </Labelled>
        <Labelled label={text('send.password')} hint={text('send.passwordHint')}>
          {(field) => (
            <input {...field} className="input" maxLength={72} autoComplete="off" {...register('password')} />
          )}
        </Labelled>
        <Labelled label={text('send.limit')} hint={text('send.limitHint')}>
          {(field) => (
            <input
              {...field}
              type="number"
              min={0}
              max={2_147_483_647}
              className="input max-w-40"
              placeholder={settings?.download_limit_enabled === true ? String(settings.download_limit_default) : '0'}
              {...register('limit')}
            />
          )}
        </Labelled>
        {settings?.unlimited_storage_allowed === true && (
          <label className="check">
            <input type="checkbox" {...register('forever')} />
            {text('send.forever')}
          </label>
        )}
        <Refusal error={begin.error} />
        <button type="submit" className="button button-primary button-large" disabled={begin.isPending || view.looking}>
          <Send size={18} aria-hidden />
          {text('send.go')}
        </button>
      </section>
    </form>
  )
}
