import { type Progress, teamEvents } from '@longshore/contract/cloud/realtime'
import { readEvents } from '@longshore/client/server-events'
import { useEffect } from 'react'
import { server } from '../session/api.ts'
import { queries } from '../session/queries.ts'
import { currentToken } from '../session/token.ts'
import { noteProgress } from './progress.ts'

// Many packages may change in one second; the lists need not be asked for each.
const gathering = 700
const longestPause = 30_000

/** Follows what happens in a Team and renews what is shown. The feed only hints; what is shown is always asked for anew. */
export function useTeamFeed(teamId: string): void {
  useEffect(() => {
    const stop = new AbortController()
    void follow(teamId, stop.signal)
    return () => stop.abort()
  }, [teamId])
}

async function follow(teamId: string, signal: AbortSignal): Promise<void> {
  let pause = 1_000
  while (!signal.aborted) {
    const startedAt = Date.now()
    await listen(teamId, signal).catch(() => {})
    if (signal.aborted || currentToken() === undefined) return
    pause = Date.now() - startedAt > longestPause ? 1_000 : Math.min(longestPause, pause * 2)
    await new Promise((resolve) => setTimeout(resolve, pause))
    renewPackages()
  }
}

async function listen(teamId: string, signal: AbortSignal): Promise<void> {
  const credential = { userToken: currentToken() ?? '' }
  const response = await server.raw(teamEvents, { params: { team_id: teamId } }, { credential, signal })
  if (!response.ok || response.body === null) throw new Error(`The feed answered ${response.status}.`)
  for await (const { type, data } of readEvents(response.body)) {
    if (type === 'package.progress') noteProgress(JSON.parse(data) as Progress)
    else renewPackages()
  }
}

let waiting: ReturnType<typeof setTimeout> | undefined

function renewPackages(): void {
  waiting ??= setTimeout(() => {
    waiting = undefined
    void queries.invalidateQueries({ queryKey: ['packages'] })
  }, gathering)
}
