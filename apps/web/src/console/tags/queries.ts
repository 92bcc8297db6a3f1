import { listTags } from '@longshore/contract/cloud/tags'
import { queryOptions } from '@tanstack/react-query'
import { asUser } from '../session/api.ts'

export const tagsQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['tags', teamId],
    queryFn: ({ signal }) => asUser(listTags, { params: { team_id: teamId } }, signal),
  })
