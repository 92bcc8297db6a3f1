import { withdrawInvitation } from '@longshore/contract/cloud/team'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useFormat, useText } from '#text/use-text.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useTeam } from '../frame/team.ts'
import { asUser } from '../session/api.ts'
import { invitationsQuery } from './queries.ts'

/** Who is invited and has not come yet. Nothing where there is nobody. */
export function OpenInvitations() {
  const text = useText<'console'>()
  const format = useFormat()
  const team = useTeam()
  const client = useQueryClient()
  const invitations = useQuery(invitationsQuery(team.id))
  const withdraw = useMutation({
    mutationFn: (id: string) => asUser(withdrawInvitation, { params: { team_id: team.id, invitation_id: id } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['invitations'] }),
  })
  return (
    <Loaded query={invitations}>
      {(listed) =>
        listed.length > 0 && (
          <section>
            <h2 className="mb-3">{text('invitations.title')}</h2>
            <Refusal error={withdraw.error} />
            <ul className="card divide-y divide-line">
              {listed.map(({ id, email, policy_key, expiry }) => (
                <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-5 py-3">
                  <span className="min-w-0 flex-1">
                    <span className="font-semibold wrap-anywhere">{email}</span>
                    <span className="block text-sm text-ink-soft">
                      {text(`role.${policy_key}`)} · {text('invitations.until', { time: format.dateTime(expiry) })}
                    </span>
                  </span>
                  <button
                    type="button"
                    className="button button-small"
                    disabled={withdraw.isPending}
                    onClick={() => withdraw.mutate(id)}
                  >
                    {text('invitations.withdraw')}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </Loaded>
  )
}
