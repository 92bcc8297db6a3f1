import { ApiError } from '@longshore/client/client'
import { whoAmI } from '@longshore/contract/cloud/account'
import { QueryClient, queryOptions } from '@tanstack/react-query'
import { asUser } from './api.ts'

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // What the server refused once it refuses again; a network may come back.
      retry: (failures, error) => !(error instanceof ApiError && error.status < 500) && failures < 2,
    },
  },
})

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => asUser(whoAmI, {}, signal),
  staleTime: 60_000,
})
