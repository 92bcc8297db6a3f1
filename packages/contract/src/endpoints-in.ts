import type { Endpoint } from '#endpoint'

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'refusals' in value

/** The endpoints that these modules export, by name. */
export const endpointsIn = (rooms: readonly object[]): Readonly<Record<string, Endpoint>> =>
  Object.fromEntries(
    rooms
      .flatMap((room) => Object.entries(room as Record<string, unknown>))
      .filter((entry): entry is [string, Endpoint] => isEndpoint(entry[1])),
  )
