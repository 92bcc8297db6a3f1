import { useBlocker } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { openUpload, type Upload } from '#browser/upload.ts'
import { useText } from '#text/use-text.tsx'
import { TabSet } from '#ui/kit/tab-set.tsx'
import { useConnections } from '../connections/use-connections.ts'
import { PageHead } from '../frame/page-head.tsx'
import { Compose } from './compose.tsx'
import { FromStorage } from './from-storage.tsx'
import { Sending } from './sending.tsx'

/** Sending from the browser: what and to whom, then how far it is. */
export function SendPage() {
  const text = useText<'console'>()
  const [round, setRound] = useState(0)
  const upload = useUpload(round)
  return (
    <>
      <PageHead title={text('send.title')} about={text('send.about')} />
      {upload !== undefined && <Round key={round} upload={upload} onAnother={() => setRound(round + 1)} />}
    </>
  )
}

/** An upload has a worker of its own, which must end with the page. */
function useUpload(round: number): Upload | undefined {
  const [upload, setUpload] = useState<Upload>()
  useEffect(() => {
    const opened = openUpload()
    setUpload(opened)
    return () => opened.close()
  }, [round])
  return upload
}

function Round({ upload, onAnother }: { readonly upload: Upload; readonly onAnother: () => void }) {
  const text = useText<'console'>()
  const view = useSyncExternalStore(upload.subscribe, upload.view)
  const [packageId, setPackageId] = useState<string>()
  const isUnderWay = view.state === 'running' || view.state === 'paused'
  useBlocker({
    shouldBlockFn: () => isUnderWay && !confirm(text('send.leaving')),
    enableBeforeUnload: isUnderWay,
    disabled: !isUnderWay,
  })
  const { sources } = useConnections()
  if (packageId !== undefined) {
    return <Sending upload={upload} view={view} packageId={packageId} onAnother={onAnother} />
  }
  const fromDevice = <Compose upload={upload} view={view} onBegin={setPackageId} />
  const [first, ...others] = sources
  if (first === undefined) return fromDevice
  return (
    <TabSet
      label={text('send.ways')}
      tabs={[
        { id: 'device', label: text('send.fromDevice'), content: fromDevice },
        { id: 'storage', label: text('send.fromStorage'), content: <FromStorage sources={[first, ...others]} /> },
      ]}
    />
  )
}
