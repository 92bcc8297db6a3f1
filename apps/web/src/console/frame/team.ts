import type { whoAmI } from '@longshore/contract/cloud/account'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { createContext, useContext } from 'react'

export type Me = ReplyOf<typeof whoAmI>
export type Team = Me['teams'][number]

export const TeamContext = createContext<Team | undefined>(undefined)

/** The Team whose pages are open. */
export function useTeam(): Team {
  const team = useContext(TeamContext)
  if (team === undefined) throw new Error('This page is shown inside a Team only.')
  return team
}
