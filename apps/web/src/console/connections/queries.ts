import { ApiError } from '@longshore/client/client'
import { listConnectionFiles, listConnections, testConnection } from '@longshore/contract/cloud/connections'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { asUser } from '../session/api.ts'

export type Connection = ReplyOf<typeof listConnections>[number]
export type Direction = Connection['direction']
export type Entry = ReplyOf<typeof listConnectionFiles>['files'][number]

export const connectionsQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['connections', teamId],
    queryFn: ({ signal }) => asUser(listConnections, { params: { team_id: teamId } }, signal),
  })

export const isOffline = (error: unknown): boolean => error instanceof ApiError && error.error === 'gateway_offline'

// An agent that was just started is there within seconds, and whoever started it is looking at this page.
const lookAgain = 5_000

/** Whether the agent of a storage gateway is there. */
export const gatewayQuery = (connectionId: string) =>
  queryOptions({
    queryKey: ['connections', 'gateway', connectionId],
    queryFn: async ({ signal }) => {
      try {
        await asUser(testConnection, { params: { cloud_connection_id: connectionId } }, signal)
        return true
      } catch (error) {
        if (isOffline(error)) return false
        throw error
      }
    },
    refetchInterval: ({ state }) => (state.data === true ? 30_000 : lookAgain),
  })

const pageLength = 200

/** One folder of a connection, page by page. */
export const folderQuery = (connectionId: string, folder: string) =>
  infiniteQueryOptions({
    queryKey: ['connections', 'folder', connectionId, folder],
    queryFn: ({ pageParam, signal }) =>
      asUser(
        listConnectionFiles,
        {
          params: { cloud_connection_id: connectionId },
          query: { prefix: folder, count: pageLength, ...(pageParam === '' ? {} : { after: pageParam }) },
        },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => (next === '' ? undefined : next),
    // Who is offline stays so for a while; asking thrice in a row only makes people wait for the sentence.
    retry: (failures, error) => !(error instanceof ApiError) && failures < 2,
    refetchInterval: ({ state }) => (isOffline(state.error) ? lookAgain : false),
  })
