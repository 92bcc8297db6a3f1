import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useTeam } from './team.ts'

interface BackLinkProps {
  readonly to: `/console/$team/${'packages' | 'inbox' | 'portals' | 'webhooks' | 'connections'}`
  readonly children: string
}

/** From one thing back to the list that it is in. */
export function BackLink({ to, children }: BackLinkProps) {
  const team = useTeam()
  return (
    <Link
      to={to}
      params={{ team: team.subdomain }}
      className="mb-3 inline-flex items-center gap-1.5 text-sm text-ink-soft hover:text-ink"
    >
      <ArrowLeft size={15} aria-hidden />
      {children}
    </Link>
  )
}
