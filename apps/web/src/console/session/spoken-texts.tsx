import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { I18nProvider } from 'react-aria-components'
import { Texts, useLanguage } from '#text/use-text.tsx'
import { meQuery } from './queries.ts'
import { useToken } from './token.ts'

/** Texts and times as the person who is signed in has them: in the time zone of their account. */
export function SpokenTexts({ children }: { readonly children: ReactNode }) {
  const token = useToken()
  const { data: me } = useQuery({ ...meQuery, enabled: token !== undefined })
  return (
    <Texts door="console" timeZone={me?.user.time_zone}>
      <Localized>{children}</Localized>
    </Texts>
  )
}

/** Texts that react-aria brings itself. */
function Localized({ children }: { readonly children: ReactNode }) {
  const { language } = useLanguage()
  return <I18nProvider locale={language}>{children}</I18nProvider>
}
