import { createTeamPackage } from '@longshore/contract/cloud/packages'
import { useMutation } from '@tanstack/react-query'
import type { UseFormReturn } from 'react-hook-form'
import { waysInto } from '#browser/pick.ts'
import type { Upload, UploadView } from '#browser/upload.ts'
import { useFormat, useText } from '#text/use-text.tsx'
import { DropZone } from '#ui/plain/drop-zone.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { UploadList } from '#ui/plain/upload-list.tsx'
import { useTeam } from '../frame/team.ts'
import { asUser } from '../session/api.ts'
import { packageBodyOf, type Terms } from './terms.ts'
import { TermsFields } from './terms-fields.tsx'

interface ComposeProps {
  /** What it is kept under, to be gone on with later. */
  readonly place: string
  readonly upload: Upload
  readonly view: UploadView
  readonly form: UseFormReturn<Terms>
}

/** What is sent, to whom, and on which terms. */
export function Compose({ place, upload, view, form }: ComposeProps) {
  const text = useText<'console'>()
  const format = useFormat()
  const team = useTeam()
  const begin = useMutation({
    mutationFn: (terms: Terms) =>
      asUser(createTeamPackage, { params: { team_id: team.id }, body: packageBodyOf(terms) }),
    onSuccess: ({ id, name, access_token }) => upload.begin({ id, token: access_token ?? '', place, name, more: {} }),
  })
  const nothing = view.files === 0
  return (
    <form
      className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]"
      onSubmit={(event) => void form.handleSubmit((a) => !nothing && !view.looking && begin.mutate(a))(event)}
    >
      <section className="flex min-w-0 flex-col gap-3" aria-label={text('files.title')}>
        <DropZone title={text('send.drop')} compact={view.entries.length > 0} {...waysInto(upload)} />
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
        {form.formState.isSubmitted && nothing && <Notice kind="warn">{text('send.noFiles')}</Notice>}
      </section>
      <TermsFields register={form.register} error={begin.error} isDisabled={begin.isPending || view.looking} />
    </form>
  )
}
