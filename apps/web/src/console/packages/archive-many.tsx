import { archiveReceived, archiveSent, unarchiveReceived, unarchiveSent } from '@longshore/contract/cloud/packages'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useFormat, useText } from '#text/use-text.tsx'
import { DialogBox } from '#ui/kit/dialog-box.tsx'
import { FormActions } from '#ui/plain/form-actions.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { toast } from '#ui/plain/toasts.tsx'
import { endOfDay, startOfDay } from '../frame/input-time.ts'
import { useTeam } from '../frame/team.ts'
import { useTimeZone } from '../frame/time-zone.ts'
import { asUser } from '../session/api.ts'
import type { Side } from './queries.ts'

const endpoints = {
  sent: { archive: archiveSent, unarchive: unarchiveSent },
  received: { archive: archiveReceived, unarchive: unarchiveReceived },
} as const

interface Answers {
  readonly direction: 'archive' | 'unarchive'
  readonly from: string
  readonly to: string
}

interface ArchiveManyProps {
  readonly side: Side
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Puts all packages that expired in a span of days out of the way, or back. */
export function ArchiveMany({ side, isOpen, onClose }: ArchiveManyProps) {
  const text = useText<'console'>()
  const format = useFormat()
  const team = useTeam()
  const client = useQueryClient()
  const timeZone = useTimeZone()
  const { register, handleSubmit } = useForm<Answers>({ defaultValues: { direction: 'archive' } })
  const move = useMutation({
    mutationFn: ({ direction, from, to }: Answers) =>
      asUser(endpoints[side][direction], {
        params: { team_id: team.id },
        body: {
          expiry_start: startOfDay(from, timeZone) ?? '',
          expiry_end: endOfDay(to, timeZone) ?? '',
        },
      }),
    onSuccess: async ({ total_updated: count }) => {
      toast(text('archive.done', { count, number: format.number(count) }))
      onClose()
      await client.invalidateQueries({ queryKey: ['packages'] })
    },
  })
  return (
    <DialogBox title={text('archive.many')} isOpen={isOpen} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => move.mutate(a))(event)}>
        <p className="text-ink-soft">{text('archive.about')}</p>
        <fieldset className="flex flex-col gap-2">
          <legend className="sr-only">{text('archive.many')}</legend>
          {(['archive', 'unarchive'] as const).map((direction) => (
            <label key={direction} className="check">
              <input type="radio" value={direction} {...register('direction')} />
              {text(`archive.${direction}`)}
            </label>
          ))}
        </fieldset>
        <div className="grid grid-cols-2 gap-4">
          <Labelled label={text('archive.from')}>
            {(field) => <input {...field} type="date" className="input" required {...register('from')} />}
          </Labelled>
          <Labelled label={text('archive.to')}>
            {(field) => <input {...field} type="date" className="input" required {...register('to')} />}
          </Labelled>
        </div>
        <FormActions error={move.error} isPending={move.isPending} onCancel={onClose} submit={text('archive.go')} />
      </form>
    </DialogBox>
  )
}
