import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { useText } from '#text/use-text.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { Toasts } from '#ui/plain/toasts.tsx'
import { useTeamFeed } from '../live/team-feed.ts'
import { meQuery } from '../session/queries.ts'
import { useToken } from '../session/token.ts'
import { Navigation } from './navigation.tsx'
import { type Me, type Team, TeamContext } from './team.ts'

/** Everything inside a Team: the way around on the left, the page beside it. */
export function TeamFrame() {
  const text = useText<'console'>()
  const token = useToken()
  const { team: name } = useParams({ from: '/console/$team' })
  const { data: me, error } = useQuery({ ...meQuery, enabled: token !== undefined })
  const team = me?.teams.find(({ subdomain }) => subdomain === name)
  if (me !== undefined && team === undefined) {
    return (
      <main className="mx-auto max-w-2xl p-6">
        <EmptyState icon={SearchX} title={text('team.notFound')}>
          <a className="link" href="/console">
            {text('team.toOwn')}
          </a>
        </EmptyState>
      </main>
    )
  }
  if (me === undefined || team === undefined) {
    return <main className="mx-auto max-w-2xl p-6">{error !== null && <Refusal error={error} />}</main>
  }
  return <Inside key={team.id} me={me} team={team} />
}

function Inside({ me, team }: { readonly me: Me; readonly team: Team }) {
  const text = useText<'console'>()
  useTeamFeed(team.id)
  return (
    <TeamContext value={team}>
      <a
        href="#content"
        className="button button-primary sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50"
      >
        {text('nav.skip')}
      </a>
      <div className="lg:grid lg:min-h-dvh lg:grid-cols-[15.5rem_minmax(0,1fr)]">
        <Navigation me={me} />
        <main id="content" tabIndex={-1} className="mx-auto w-full max-w-6xl px-4 py-6 outline-none sm:px-8 lg:py-9">
          <Outlet />
        </main>
      </div>
      <Toasts />
    </TeamContext>
  )
}
