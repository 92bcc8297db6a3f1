import { useQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useState, useSyncExternalStore } from 'react'
import { useForm } from 'react-hook-form'
import { askToRead } from '#browser/collect.ts'
import { idleUploads } from '#browser/hold-upload.ts'
import { forgetUpload } from '#browser/kept-uploads.ts'
import type { Upload } from '#browser/upload.ts'
import { useText } from '#text/use-text.tsx'
import { TabSet } from '#ui/kit/tab-set.tsx'
import { Unfinished } from '#ui/plain/unfinished.tsx'
import { useConnections } from '../connections/use-connections.ts'
import { PageHead } from '../frame/page-head.tsx'
import { useTeam } from '../frame/team.ts'
import { meQuery } from '../session/queries.ts'
import { Compose } from './compose.tsx'
import { FromStorage } from './from-storage.tsx'
import { Sending } from './sending.tsx'
import type { Terms } from './terms.ts'
import { useUpload } from './use-upload.ts'

/** Sending from the browser: what and to whom, then how far it is. */
export function SendPage() {
  const { data: me } = useQuery(meQuery)
  const team = useTeam()
  // Of the person too: several may share a browser, and none is to see what another sends.
  return me !== undefined && <Rounds place={`console:${team.id}:${me.user.id}`} />
}

function Rounds({ place }: { readonly place: string }) {
  const text = useText<'console'>()
  const [round, setRound] = useState(0)
  const upload = useUpload(place, round)
  return (
    <>
      <PageHead title={text('send.title')} about={text('send.about')} />
      {upload !== undefined && (
        <Round key={round} place={place} upload={upload} onAnother={() => setRound(round + 1)} />
      )}
    </>
  )
}

interface RoundProps {
  readonly place: string
  readonly upload: Upload
  readonly onAnother: () => void
}

function Round({ place, upload, onAnother }: RoundProps) {
  const text = useText<'console'>()
  const view = useSyncExternalStore(upload.subscribe, upload.view)
  const isUnderWay = view.state === 'running' || view.state === 'paused'
  useBlocker({
    shouldBlockFn: () => isUnderWay && !confirm(text('send.leaving')),
    enableBeforeUnload: isUnderWay,
    disabled: !isUnderWay,
  })
  const { sources } = useConnections()
  // One for both ways: whoever looks at the other finds what they have typed.
  const form = useForm<Terms>()
  if (view.packageId !== undefined) {
    return <Sending upload={upload} view={view} packageId={view.packageId} onAnother={onAnother} />
  }
  const fromDevice = <Compose place={place} upload={upload} view={view} form={form} />
  const [first, ...others] = sources
  return (
    <div className="flex flex-col gap-5">
      <Earlier place={place} upload={upload} />
      {first === undefined ? (
        fromDevice
      ) : (
        <TabSet
          label={text('send.ways')}
          tabs={[
            { id: 'device', label: text('send.fromDevice'), content: fromDevice },
            {
              id: 'storage',
              label: text('send.fromStorage'),
              content: <FromStorage sources={[first, ...others]} form={form} />,
            },
          ]}
        />
      )}
    </div>
  )
}

/** What a page that was closed too early has left. */
function Earlier({ place, upload }: Omit<RoundProps, 'onAnother'>) {
  const { data: uploads = [], refetch } = useQuery({
    queryKey: ['unfinished', place],
    queryFn: () => idleUploads(place),
    staleTime: 0,
    // It asks the browser, not the server.
    networkMode: 'always',
  })
  return uploads.map((kept) => (
    <Unfinished
      key={kept.id}
      {...kept}
      goOn={() => void askToRead(kept.roots).then((granted) => upload.recall(kept.id, granted))}
      discard={() => void forgetUpload(kept.id).then(() => refetch())}
    />
  ))
}
