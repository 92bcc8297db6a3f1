import { useEffect, useState, useSyncExternalStore } from 'react'
import { askToRead, mayRead } from '#browser/collect.ts'
import { idleUploads } from '#browser/hold-upload.ts'
import { forgetUpload, type KeptUpload } from '#browser/kept-uploads.ts'
import { openUpload, type UploadView } from '#browser/upload.ts'
import { Unfinished } from '#ui/plain/unfinished.tsx'
import { Compose } from './compose.tsx'
import { placeOfPortal, type Portal } from './portal.ts'
import { keptReceipt, Receipt, type ReceiptFacts } from './receipt.tsx'
import { Sending } from './sending.tsx'

interface DeliveryProps {
  readonly portal: Portal
  readonly accessCode: string
  readonly lookAgain: () => void
}

/** One package on its way into a Portal, from choosing files to the receipt. */
export function Delivery({ portal, accessCode, lookAgain }: DeliveryProps) {
  const [upload, setUpload] = useState(openUpload)
  const view = useSyncExternalStore(upload.subscribe, upload.view)
  const [receipt, setReceipt] = useState<ReceiptFacts | undefined>(() => keptReceipt.get(portal.id))
  const [facts, setFacts] = useState<Omit<ReceiptFacts, 'files' | 'bytes' | 'at'>>()
  const unfinished = useUnfinished(portal.id)
  useLeaveGuard(view)

  useEffect(() => {
    if (view.state !== 'complete' || facts === undefined) return
    const done = { ...facts, files: view.files, bytes: view.bytes, at: new Date().toISOString() }
    keptReceipt.set(portal.id, done)
    setReceipt(done)
  }, [view.state, view.files, view.bytes, facts, portal.id])

  /** A new worker, and a list without anything in it. */
  const startAnew = () => {
    upload.close()
    keptReceipt.forget(portal.id)
    setReceipt(undefined)
    setFacts(undefined)
    setUpload(openUpload())
  }

  const discard = async () => {
    if (facts !== undefined) await forgetUpload(facts.id)
    unfinished.refresh()
    startAnew()
  }

  const goOn = (kept: KeptUpload, granted: boolean) => {
    setFacts({ id: kept.id, name: kept.name, sender: kept.more['sender'] ?? '' })
    upload.recall(kept.id, granted)
  }

  // What the browser may still read goes on by itself.
  const latest = unfinished.uploads[0]
  useEffect(() => {
    if (latest === undefined) return
    void mayRead(latest.roots).then((granted) => {
      if (granted && upload.view().state === 'choosing') goOn(latest, true)
    })
  }, [latest])

  if (receipt !== undefined) return <Receipt portal={portal} receipt={receipt} more={startAnew} />
  if (view.state !== 'choosing') {
    return (
      <Sending
        upload={upload}
        view={view}
        name={facts?.name ?? ''}
        startAnew={startAnew}
        discard={() => void discard()}
      />
    )
  }
  return (
    <>
      {unfinished.uploads.map((kept) => (
        <Unfinished
          key={kept.id}
          {...kept}
          goOn={() => void askToRead(kept.roots).then((granted) => goOn(kept, granted))}
          discard={() => void forgetUpload(kept.id).then(unfinished.refresh)}
        />
      ))}
      <Compose
        portal={portal}
        accessCode={accessCode}
        upload={upload}
        view={view}
        lookAgain={lookAgain}
        begun={setFacts}
      />
    </>
  )
}

/** Uploads of earlier visits that nobody is at work on. */
function useUnfinished(portalId: string) {
  const [uploads, setUploads] = useState<readonly KeptUpload[]>([])
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    let current = true
    void idleUploads(placeOfPortal(portalId)).then((idle) => current && setUploads(idle))
    return () => {
      current = false
    }
  }, [portalId, asked])
  return { uploads, refresh: () => setAsked((count) => count + 1) }
}

/** Asks before a page is left that is still sending. */
function useLeaveGuard({ state }: UploadView): void {
  useEffect(() => {
    if (state !== 'running') return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [state])
}
