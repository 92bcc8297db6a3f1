import { type ReactNode, useEffect } from 'react'
import { Logo } from '#ui/plain/logo.tsx'
import { Preferences } from '#ui/plain/preferences.tsx'

interface GateFrameProps {
  readonly title: string
  readonly children: ReactNode
}

/** The page of whoever is not inside yet: sign-in, first setup, invitation, confirmation. */
export function GateFrame({ title, children }: GateFrameProps) {
  useEffect(() => {
    document.title = `${title} · Longshore`
  }, [title])
  return (
    <div className="flex min-h-dvh flex-col">
      <main className="flex flex-1 flex-col items-center justify-center px-4 py-10">
        <div className="mb-6 flex items-center gap-3">
          <Logo size={36} />
          <span className="text-xl font-semibold tracking-tight">Longshore</span>
        </div>
        <div className="card flex w-full max-w-md flex-col gap-5 p-6 sm:p-8">
          <h1>{title}</h1>
          {children}
        </div>
      </main>
      <footer className="flex justify-center px-4 pb-6">
        <Preferences />
      </footer>
    </div>
  )
}
