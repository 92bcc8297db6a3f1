import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { Users } from 'lucide-react'
import { useText } from '#text/use-text.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { meQuery } from '../session/queries.ts'
import { forgetToken, useToken } from '../session/token.ts'

/** `/console` alone: on to the Team that one prefers. */
export function Home() {
  const text = useText<'console'>()
  const token = useToken()
  const { data: me, error } = useQuery({ ...meQuery, enabled: token !== undefined })
  if (me === undefined) return <main className="p-6">{error !== null && <Refusal error={error} />}</main>
  const team = me.teams.find(({ id }) => id === me.user.preferred_team_id) ?? me.teams[0]
  if (team !== undefined) return <Navigate to="/console/$team/packages" params={{ team: team.subdomain }} replace />
  return (
    <main className="mx-auto max-w-2xl p-6">
      <EmptyState icon={Users} title={text('team.none')}>
        <p>{text('team.noneHint')}</p>
        <button type="button" className="button" onClick={forgetToken}>
          {text('nav.signOut')}
        </button>
      </EmptyState>
    </main>
  )
}
