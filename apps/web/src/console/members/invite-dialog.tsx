import { roles } from '@longshore/contract/cloud/account'
import { inviteMember } from '@longshore/contract/cloud/team'
import type { Role } from '@longshore/contract/endpoint'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { DialogBox } from '#ui/kit/dialog-box.tsx'
import { FormActions } from '#ui/plain/form-actions.tsx'
import { toast } from '#ui/plain/toasts.tsx'
import { EmailField } from '../frame/person-fields.tsx'
import { useTeam } from '../frame/team.ts'
import { asUser } from '../session/api.ts'

interface Answers {
  readonly email: string
  readonly role: Role
}

export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const text = useText<'console'>()
  const team = useTeam()
  const client = useQueryClient()
  const { register, handleSubmit } = useForm<Answers>({ defaultValues: { role: 'member' } })
  const invite = useMutation({
    mutationFn: ({ email, role }: Answers) =>
      asUser(inviteMember, { params: { team_id: team.id }, body: { email, policy_key: role } }),
    onSuccess: async ({ email }) => {
      toast(text('members.invited', { email }))
      onClose()
      await client.invalidateQueries({ queryKey: ['invitations'] })
    },
  })
  return (
    <DialogBox title={text('members.invite')} isOpen onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void handleSubmit((a) => invite.mutate(a))(event)}>
        <EmailField field={register('email')} hint={text('members.inviteHint')} autoComplete="off" autoFocus />
        <fieldset className="flex flex-col gap-2.5">
          <legend className="field-label mb-2">{text('members.role')}</legend>
          {roles
            .filter((role) => role !== 'owner' || team.policy_key === 'owner')
            .map((role) => (
              <label key={role} className="check">
                <input type="radio" value={role} {...register('role')} />
                <span>
                  <span className="font-medium">{text(`role.${role}`)}</span>
                  <span className="block text-sm text-ink-soft">{text(`role.${role}.may`)}</span>
                </span>
              </label>
            ))}
        </fieldset>
        <FormActions
          error={invite.error}
          isPending={invite.isPending}
          onCancel={onClose}
          submit={text('members.sendInvitation')}
        />
      </form>
    </DialogBox>
  )
}
