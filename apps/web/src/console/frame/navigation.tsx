import { Link, useNavigate } from '@tanstack/react-router'
import {
  ArrowDownToLine,
  ArrowUpFromLine,
  Building2,
  ChartNoAxesColumn,
  ChevronsUpDown,
  CircleUser,
  DoorOpen,
  HardDrive,
  KeyRound,
  LogOut,
  type LucideIcon,
  Menu as MenuIcon,
  Layers,
  Send,
  Settings,
  Tags,
  Users,
  Webhook,
} from 'lucide-react'
import { useEffect, useState } from 'react'
import { useText } from '#text/use-text.tsx'
import type { KeyOf } from '#text/texts.ts'
import { type Action, ActionMenu } from '#ui/kit/action-menu.tsx'
import { Logo } from '#ui/plain/logo.tsx'
import { type Deed, may } from '../session/roles.ts'
import { queries } from '../session/queries.ts'
import { forgetToken } from '../session/token.ts'
import { type Me, useTeam } from './team.ts'

interface Place {
  readonly to: string
  readonly label: KeyOf<'console'>
  readonly icon: LucideIcon
  readonly needs?: Deed
}

const groups: readonly { readonly label: KeyOf<'console'>; readonly places: readonly Place[] }[] = [
  {
    label: 'nav.transfers',
    places: [
      { to: '/console/$team/packages', label: 'nav.sent', icon: ArrowUpFromLine },
      { to: '/console/$team/inbox', label: 'nav.received', icon: ArrowDownToLine },
      { to: '/console/$team/portals', label: 'nav.portals', icon: DoorOpen },
      { to: '/console/$team/usage', label: 'nav.usage', icon: ChartNoAxesColumn, needs: 'seeUsage' },
    ],
  },
  {
    label: 'nav.integrate',
    places: [
      { to: '/console/$team/webhooks', label: 'nav.webhooks', icon: Webhook, needs: 'manageWebhooks' },
      { to: '/console/$team/connections', label: 'nav.connections', icon: HardDrive, needs: 'manageConnections' },
      { to: '/console/$team/keys', label: 'nav.keys', icon: KeyRound, needs: 'manageKeys' },
    ],
  },
  {
    label: 'nav.team',
    places: [
      { to: '/console/$team/members', label: 'nav.members', icon: Users, needs: 'manageMembers' },
      { to: '/console/$team/spaces', label: 'nav.spaces', icon: Layers, needs: 'manageMembers' },
      { to: '/console/$team/tags', label: 'nav.tags', icon: Tags },
      { to: '/console/$team/settings', label: 'nav.settings', icon: Settings },
    ],
  },
]

/** The way around: a column on wide screens, behind a button on narrow ones. */
export function Navigation({ me }: { readonly me: Me }) {
  const text = useText<'console'>()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const close = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false)
    document.addEventListener('keydown', close)
    return () => document.removeEventListener('keydown', close)
  }, [])
  return (
    <header className="border-line bg-sunken max-lg:border-b lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col lg:overflow-y-auto lg:border-r">
      <div className="flex items-center gap-2 px-4 py-3 lg:px-3 lg:pt-5">
        <TeamSwitch me={me} />
        <button
          type="button"
          className="button button-quiet button-icon ml-auto lg:hidden"
          aria-label={text('nav.menu')}
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          <MenuIcon size={20} aria-hidden />
        </button>
      </div>
      <div
        id="navigation"
        className={`${isOpen ? 'flex' : 'hidden'} flex-1 flex-col gap-5 px-3 pb-4 lg:flex`}
        onClick={(event) => event.target instanceof Element && event.target.closest('a') && setOpen(false)}
      >
        <Places />
        <div className="mt-auto">
          <OwnMenu me={me} />
        </div>
      </div>
    </header>
  )
}

function Places() {
  const text = useText<'console'>()
  const team = useTeam()
  const link = 'flex min-h-9 items-center gap-3 rounded-lg px-2.5 max-lg:min-h-11'
  return (
    <nav className="flex flex-col gap-5" aria-label={text('nav.label')}>
      <Link to="/console/$team/send" params={{ team: team.subdomain }} className="button button-primary">
        <Send size={17} aria-hidden />
        {text('nav.send')}
      </Link>
      {groups.map(({ label, places }) => {
        const offered = places.filter(({ needs }) => needs === undefined || may(team.policy_key, needs))
        if (offered.length === 0) return null
        return (
          <div key={label}>
            <p className="px-2.5 pb-1 text-xs font-semibold tracking-wide text-ink-faint uppercase">{text(label)}</p>
            <ul className="flex flex-col gap-0.5">
              {offered.map(({ to, label: name, icon: Icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    params={{ team: team.subdomain }}
                    className={link}
                    activeProps={{ className: 'bg-surface font-semibold shadow-sm', 'aria-current': 'page' }}
                    inactiveProps={{ className: 'text-ink-soft hover:bg-hover hover:text-ink' }}
                  >
                    <Icon size={17} aria-hidden />
                    {text(name)}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        )
      })}
    </nav>
  )
}

function TeamSwitch({ me }: { readonly me: Me }) {
  const text = useText<'console'>()
  const team = useTeam()
  const navigate = useNavigate()
  const face = (
    <>
      <Logo size={30} />
      <span className="min-w-0 text-start leading-tight">
        <span className="block truncate font-semibold">{team.name}</span>
        <span className="block text-xs text-ink-faint">{text(`role.${team.policy_key}`)}</span>
      </span>
    </>
  )
  if (me.teams.length < 2) return <div className="flex min-w-0 items-center gap-2.5 px-2">{face}</div>
  const actions = me.teams.map(
    (one): Action => ({
      id: one.id,
      label: one.name,
      icon: Building2,
      onAction: () => void navigate({ to: '/console/$team/packages', params: { team: one.subdomain } }),
    }),
  )
  return (
    <ActionMenu
      label={text('nav.switchTeam', { team: team.name })}
      actions={actions}
      className="flex min-w-0 cursor-pointer items-center gap-2.5 rounded-lg px-2 py-1 hover:bg-hover"
    >
      {face}
      <ChevronsUpDown size={16} aria-hidden className="flex-none text-ink-faint" />
    </ActionMenu>
  )
}

function OwnMenu({ me }: { readonly me: Me }) {
  const text = useText<'console'>()
  const team = useTeam()
  const navigate = useNavigate()
  const signOut = async () => {
    await navigate({ to: '/console/sign-in' })
    // A page that sends something has asked first, and may have kept its person.
    if (location.pathname !== '/console/sign-in') return
    forgetToken()
    queries.clear()
  }
  const actions: readonly Action[] = [
    {
      id: 'account',
      label: text('nav.account'),
      icon: CircleUser,
      onAction: () => void navigate({ to: '/console/$team/account', params: { team: team.subdomain } }),
    },
    { id: 'sign-out', label: text('nav.signOut'), icon: LogOut, onAction: () => void signOut() },
  ]
  return (
    <ActionMenu
      label={text('nav.own', { name: me.user.name })}
      actions={actions}
      className="flex w-full cursor-pointer items-center gap-3 rounded-lg px-2.5 py-2 text-start hover:bg-hover"
    >
      <CircleUser size={22} strokeWidth={1.6} aria-hidden className="flex-none text-ink-soft" />
      <span className="min-w-0 leading-tight">
        <span className="block truncate font-medium">{me.user.name}</span>
        <span className="block truncate text-xs text-ink-faint">{me.user.email}</span>
      </span>
    </ActionMenu>
  )
}
