import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../session/queries.ts'

/** The zone that all times of the console are shown and typed in. Empty for the one of this device. */
export const useTimeZone = (): string => useQuery(meQuery).data?.user.time_zone ?? ''
