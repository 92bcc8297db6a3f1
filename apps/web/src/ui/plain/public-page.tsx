import type { ReactNode } from 'react'
import { useText } from '#text/use-text.tsx'
import { Logo } from './logo.tsx'
import { Preferences } from './preferences.tsx'

interface PublicPageProps {
  /** Who the page speaks for; ours where nobody is known yet. */
  readonly name?: string | undefined
  readonly logoUrl?: string | undefined
  readonly backgroundUrl?: string | undefined
  readonly children: ReactNode
}

/** The frame of a page for people who have never heard of us. */
export function PublicPage({ name, logoUrl, backgroundUrl, children }: PublicPageProps) {
  const text = useText()
  return (
    <div className="relative flex min-h-dvh flex-col">
      {isWebAddress(backgroundUrl) && (
        <img
          src={backgroundUrl}
          alt=""
          referrerPolicy="no-referrer"
          className="fixed inset-0 -z-10 size-full object-cover opacity-25"
        />
      )}
      <header className="mx-auto flex w-full max-w-3xl items-center gap-3 px-4 pt-6 pb-2 sm:px-6 sm:pt-10">
        {isWebAddress(logoUrl) ? (
          <img
            src={logoUrl}
            alt={name ?? ''}
            referrerPolicy="no-referrer"
            className="max-h-12 max-w-56 object-contain"
          />
        ) : (
          <>
            <Logo size={32} />
            <span className="min-w-0 truncate font-semibold">{name ?? 'Longshore'}</span>
          </>
        )}
      </header>
      <main className="mx-auto flex w-full max-w-3xl flex-1 flex-col gap-4 px-4 py-4 sm:gap-5 sm:px-6">{children}</main>
      <footer className="mx-auto flex w-full max-w-3xl flex-wrap items-center justify-between gap-x-6 gap-y-1 px-4 py-6 text-sm text-ink-soft sm:px-6">
        <span>{text('ui.poweredBy')}</span>
        <Preferences />
      </footer>
    </div>
  )
}

const isWebAddress = (url: string | undefined): url is string => url !== undefined && /^https?:\/\//i.test(url)
