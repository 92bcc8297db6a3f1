import { roles } from '@longshore/contract/cloud/account'
import { removeMember, updateMember } from '@longshore/contract/cloud/team'
import type { Role } from '@longshore/contract/endpoint'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { UserMinus, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { useFormat, useText } from '#text/use-text.tsx'
import { ConfirmDialog } from '#ui/kit/confirm-dialog.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { toast } from '#ui/plain/toasts.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { PageHead } from '../frame/page-head.tsx'
import { useTeam } from '../frame/team.ts'
import { asUser } from '../session/api.ts'
import { meQuery } from '../session/queries.ts'
import { InviteDialog } from './invite-dialog.tsx'
import { OpenInvitations } from './open-invitations.tsx'
import { type Member, membersQuery } from './queries.ts'

export function MembersPage() {
  const text = useText<'console'>()
  const team = useTeam()
  const members = useQuery(membersQuery(team.id))
  const [isInviting, setInviting] = useState(false)
  return (
    <>
      <PageHead title={text('members.title')} about={text('members.about')}>
        <button type="button" className="button button-primary" onClick={() => setInviting(true)}>
          <UserPlus size={17} aria-hidden />
          {text('members.invite')}
        </button>
      </PageHead>
      <div className="flex flex-col gap-6">
        <Loaded query={members}>{(listed) => <MemberTable members={listed} />}</Loaded>
        <OpenInvitations />
      </div>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  )
}

function MemberTable({ members }: { readonly members: readonly Member[] }) {
  const text = useText<'console'>()
  const format = useFormat()
  const team = useTeam()
  const client = useQueryClient()
  const { data: me } = useQuery(meQuery)
  const [leaving, setLeaving] = useState<Member>()
  const renew = () => client.invalidateQueries({ queryKey: ['members'] })
  const change = useMutation({
    mutationFn: ({ id, role }: { id: string; role: Role }) =>
      asUser(updateMember, { params: { team_id: team.id, membership_id: id }, body: { policy_key: role } }),
    onSuccess: ({ name, policy_key }) => toast(text('members.changed', { name, role: text(`role.${policy_key}`) })),
    onSettled: renew,
  })
  const remove = useMutation({
    mutationFn: (id: string) => asUser(removeMember, { params: { team_id: team.id, membership_id: id } }),
    onSuccess: async () => {
      setLeaving(undefined)
      await renew()
    },
  })
  // Only an Owner makes Owners, and changes them.
  const isOwner = team.policy_key === 'owner'
  return (
    <>
      <Refusal error={change.error} />
      <div className="card table-frame">
        <table className="table" aria-label={text('members.title')}>
          <thead className="max-sm:sr-only">
            <tr>
              <th scope="col">{text('members.name')}</th>
              <th scope="col">{text('members.role')}</th>
              <th scope="col" className="max-md:hidden">
                {text('nav.spaces')}
              </th>
              <th scope="col" className="max-md:hidden">
                {text('members.since')}
              </th>
              <th scope="col">
                <span className="sr-only">{text('list.actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map((member) => (
              <tr key={member.id} className="max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto]">
                <td className="max-sm:border-b-0">
                  <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                    <span className="font-semibold">{member.name}</span>
                    {member.user_id === me?.user.id && <span className="badge">{text('members.you')}</span>}
                  </span>
                  <span className="block text-sm wrap-anywhere text-ink-soft">{member.email}</span>
                </td>
                <td className="max-sm:order-last max-sm:col-span-2 max-sm:pt-0 max-sm:pl-4.5">
                  <select
                    className="input w-auto"
                    aria-label={text('members.roleOf', { name: member.name })}
                    value={member.policy_key}
                    disabled={change.isPending || (member.policy_key === 'owner' && !isOwner)}
                    onChange={(event) => change.mutate({ id: member.id, role: event.target.value as Role })}
                  >
                    {roles
                      .filter((role) => isOwner || role !== 'owner' || member.policy_key === 'owner')
                      .map((role) => (
                        <option key={role} value={role}>
                          {text(`role.${role}`)}
                        </option>
                      ))}
                  </select>
                </td>
                <td className="max-md:hidden">
                  <span className="flex flex-wrap gap-1">
                    {member.teamspaces.map(({ id, name }) => (
                      <span key={id} className="badge">
                        {name}
                      </span>
                    ))}
                  </span>
                </td>
                <td className="whitespace-nowrap text-ink-soft max-md:hidden">
                  {format.date(member.invitation_accepted)}
                </td>
                <td className="end max-sm:border-b-0">
                  {(isOwner || member.policy_key !== 'owner') && (
                    <button
                      type="button"
                      className="button button-quiet button-icon button-small"
                      aria-label={text('members.removeOne', { name: member.name })}
                      onClick={() => setLeaving(member)}
                    >
                      <UserMinus size={17} aria-hidden />
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ConfirmDialog
        title={text('members.removeOne', { name: leaving?.name ?? '' })}
        action={text('members.remove')}
        isOpen={leaving !== undefined}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => leaving !== undefined && remove.mutate(leaving.id)}
        onClose={() => setLeaving(undefined)}
      >
        {text('members.removeHint')}
      </ConfirmDialog>
    </>
  )
}
