import { useCallback, useEffect, useState } from 'react'
import { useText } from '#text/use-text.tsx'
import { PublicPage } from '#ui/plain/public-page.tsx'
import { Spinner } from '#ui/plain/spinner.tsx'
import { Closed } from './closed.tsx'
import { isRefusal, type LinkAddress, type OpenedLink, openLink } from './link.ts'
import { OpenedPackage } from './opened-package.tsx'
import { Password } from './password.tsx'

type Visit =
  | { readonly at: 'loading' }
  | { readonly at: 'password'; readonly error: unknown }
  | { readonly at: 'closed'; readonly error: unknown }
  | { readonly at: 'open'; readonly link: OpenedLink }

/** The page of one download link. */
export function DownloadPage({ address }: { readonly address: LinkAddress }) {
  const text = useText<'download'>()
  const [visit, setVisit] = useState<Visit>({ at: 'loading' })
  const link = visit.at === 'open' ? visit.link : undefined

  const look = useCallback(
    async (password?: string) => {
      try {
        setVisit({ at: 'open', link: await openLink(address, password) })
      } catch (error) {
        if (isRefusal(error, 'link_password_required')) setVisit({ at: 'password', error: undefined })
        else if (isRefusal(error, 'link_password_wrong') || password !== undefined) setVisit({ at: 'password', error })
        else setVisit({ at: 'closed', error })
      }
    },
    [address],
  )

  useEffect(() => void look(), [look])
  useEffect(() => {
    document.title = link?.name ?? text('download.title')
  }, [link, text])

  return (
    <PublicPage name={link?.branding.team_name} logoUrl={link?.branding.logo_url}>
      {visit.at === 'loading' && (
        <div className="grid flex-1 place-items-center">
          <Spinner size={28} />
        </div>
      )}
      {visit.at === 'password' && <Password error={visit.error} open={look} />}
      {visit.at === 'closed' && <Closed error={visit.error} retry={() => void look()} />}
      {link !== undefined && <OpenedPackage link={link} />}
    </PublicPage>
  )
}
