import { useQuery } from '@tanstack/react-query'
import { Spinner } from '#ui/plain/spinner.tsx'
import { meQuery } from '../session/queries.ts'

export function Welcome() {
  const { data: me } = useQuery(meQuery)
  return <main className="p-10">{me === undefined ? <Spinner /> : <h1>{me.teams[0]?.name}</h1>}</main>
}
