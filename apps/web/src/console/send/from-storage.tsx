import { startTransfer } from '@longshore/contract/cloud/connections'
import { createTeamPackage, deletePackage } from '@longshore/contract/cloud/packages'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { useFormat, useText } from '#text/use-text.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { importOf } from '../connections/chosen.ts'
import { FolderView } from '../connections/folder-view.tsx'
import type { Connection } from '../connections/queries.ts'
import { useTeam } from '../frame/team.ts'
import { asUser, withPackageToken } from '../session/api.ts'
import { packageBodyOf, type Terms } from './terms.ts'
import { TermsFields } from './terms-fields.tsx'

interface FromStorageProps {
  /** Those that files can be taken from. */
  readonly sources: readonly [Connection, ...Connection[]]
  readonly form: UseFormReturn<Terms>
}

/** A package from files that lie in storage of the Team. They go there directly, and this page may be closed. */
export function FromStorage({ sources, form }: FromStorageProps) {
  const text = useText<'console'>()
  const [source, setSource] = useState(sources[0])
  return (
    <div className="flex flex-col gap-4">
      <div className="max-w-md">
        <Labelled label={text('send.source')} hint={text('send.sourceHint')}>
          {(field) => (
            <select
              {...field}
              className="input"
              value={source.id}
              onChange={({ target }) => setSource(sources.find(({ id }) => id === target.value) ?? source)}
            >
              {sources.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Labelled>
      </div>
      <Choose key={source.id} source={source} form={form} />
    </div>
  )
}

function Choose({ source, form }: { readonly source: Connection; readonly form: UseFormReturn<Terms> }) {
  const text = useText<'console'>()
  const format = useFormat()
  const team = useTeam()
  const navigate = useNavigate()
  const [folder, setFolder] = useState(source.target_directory)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const begin = useMutation({
    mutationFn: (terms: Terms) => sendFrom(source, chosen, team.id, terms),
    onSuccess: (packageId) =>
      navigate({ to: '/console/$team/packages/$packageId', params: { team: team.subdomain, packageId } }),
  })
  const turn = (key: string) => {
    const next = new Set(chosen)
    if (!next.delete(key)) next.add(key)
    setChosen(next)
  }
  const nothing = chosen.size === 0
  return (
    <form
      className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]"
      onSubmit={(event) => void form.handleSubmit((terms) => !nothing && begin.mutate(terms))(event)}
    >
      <div className="flex min-w-0 flex-col gap-3">
        <FolderView connection={source} folder={folder} onFolder={setFolder} choice={{ chosen, onTurn: turn }} />
        {!nothing && (
          <p className="numeric text-ink-soft" aria-live="polite">
            {text('send.chosenThere', { count: chosen.size, number: format.number(chosen.size) })}
          </p>
        )}
        {form.formState.isSubmitted && nothing && <Notice kind="warn">{text('send.noneChosen')}</Notice>}
      </div>
      <TermsFields register={form.register} error={begin.error} isDisabled={begin.isPending} />
    </form>
  )
}

/** Makes a package and has it filled. One that cannot be filled is taken back: nobody would know what it is for. */
async function sendFrom(
  source: Connection,
  chosen: ReadonlySet<string>,
  teamId: string,
  terms: Terms,
): Promise<string> {
  const { id, access_token: token = '' } = await asUser(createTeamPackage, {
    params: { team_id: teamId },
    body: packageBodyOf(terms),
  })
  const params = { package_id: id }
  const { folder, paths } = importOf(chosen)
  try {
    await withPackageToken(token, startTransfer, {
      params,
      body: { cloud_connection_id: source.id, target_directory: folder, paths: [...paths], finalize: true },
    })
    return id
  } catch (error) {
    await withPackageToken(token, deletePackage, { params }).catch(() => {})
    throw error
  }
}
