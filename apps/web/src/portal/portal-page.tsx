import { useCallback, useEffect, useState } from 'react'
import { useText } from '#text/use-text.tsx'
import { applyColor } from '#ui/plain/branding.ts'
import { PublicPage } from '#ui/plain/public-page.tsx'
import { sentenceOf } from '#ui/plain/refusal.tsx'
import { Spinner } from '#ui/plain/spinner.tsx'
import { AccessCode } from './access-code.tsx'
import { subdomainOf } from './address.ts'
import { Delivery } from './delivery.tsx'
import { enterPortal, findPortal, isRefusal, keptCode, type Portal } from './portal.ts'

type Visit =
  | { readonly at: 'loading' }
  | { readonly at: 'closed'; readonly error: unknown }
  | { readonly at: 'code'; readonly portal: Portal }
  | { readonly at: 'inside'; readonly portal: Portal; readonly accessCode: string }

/** The page of one Portal. */
export function PortalPage() {
  const text = useText<'portal'>()
  const [visit, setVisit] = useState<Visit>({ at: 'loading' })
  const portal = 'portal' in visit ? visit.portal : undefined

  const look = useCallback(async () => {
    setVisit({ at: 'loading' })
    try {
      setVisit(await arrive())
    } catch (error) {
      setVisit({ at: 'closed', error })
    }
  }, [])

  /** Of a Portal that is closed by now, whoever filled it in keeps what they have. */
  const lookAgain = async () => {
    const found = await arrive().catch(() => undefined)
    if (found?.at === 'inside') setVisit(found)
  }

  useEffect(() => void look(), [look])
  useEffect(() => {
    document.title = portal?.name ?? text('portal.title')
    if (portal !== undefined) applyColor(portal.primary_color)
  }, [portal, text])

  return (
    <PublicPage logoUrl={portal?.logo_url} backgroundUrl={portal?.background_url}>
      {visit.at === 'loading' && (
        <div className="grid flex-1 place-items-center">
          <Spinner size={28} />
        </div>
      )}
      {visit.at === 'closed' && <Closed error={visit.error} retry={() => void look()} />}
      {visit.at === 'code' && (
        <AccessCode
          portal={visit.portal}
          entered={(portal, accessCode) => setVisit({ at: 'inside', portal, accessCode })}
        />
      )}
      {visit.at === 'inside' && (
        <Delivery portal={visit.portal} accessCode={visit.accessCode} lookAgain={() => void lookAgain()} />
      )}
    </PublicPage>
  )
}

/** Finds the Portal, and goes in where no code is needed or this tab knows it. */
async function arrive(): Promise<Visit> {
  const portal = await findPortal(subdomainOf(location))
  if (!portal.has_access_code) return { at: 'inside', portal, accessCode: '' }
  const code = keptCode.get(portal.id)
  if (code === '') return { at: 'code', portal }
  try {
    return { at: 'inside', portal: await enterPortal(portal.id, code), accessCode: code }
  } catch (error) {
    if (isRefusal(error, 'access_code_wrong')) return { at: 'code', portal }
    throw error
  }
}

function Closed({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  const text = useText<'portal'>()
  const isClosed = ['portal_inactive', 'portal_expired', 'portal_not_found'].some((name) => isRefusal(error, name))
  return (
    <div className="card flex flex-col items-start gap-3 p-6 sm:p-8">
      <h1>{text(isClosed ? 'portal.closed' : 'error.title')}</h1>
      <p className="text-ink-soft">{sentenceOf(text, error)}</p>
      {isClosed ? (
        <p className="text-ink-soft">{text('portal.closed.hint')}</p>
      ) : (
        <button type="button" className="button" onClick={retry}>
          {text('ui.retry')}
        </button>
      )}
    </div>
  )
}
