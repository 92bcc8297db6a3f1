import { packageMetadata } from '@longshore/contract/cloud/forms'
import { useQuery } from '@tanstack/react-query'
import { useText } from '#text/use-text.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { withPackageToken } from '../session/api.ts'
import type { Package } from './queries.ts'

/** What the sender answered in the form of the Portal. */
export function AnswersTab({ pkg }: { readonly pkg: Package }) {
  const text = useText<'console'>()
  const query = useQuery({
    queryKey: ['packages', pkg.team_id, 'answers', pkg.id],
    queryFn: () => withPackageToken(pkg.access_token ?? '', packageMetadata, { params: { package_id: pkg.id } }),
  })
  return (
    <Loaded query={query}>
      {({ fields }) => (
        <dl className="card grid max-w-3xl gap-x-6 gap-y-3 p-5 sm:grid-cols-[minmax(8rem,auto)_1fr]">
          {fields.map(({ name, label, value }) => (
            <div key={name} className="contents">
              <dt className="text-ink-soft">{label === '' ? name : label}</dt>
              <dd className="whitespace-pre-wrap wrap-anywhere">{value === '' ? text('answers.none') : value}</dd>
            </div>
          ))}
        </dl>
      )}
    </Loaded>
  )
}
