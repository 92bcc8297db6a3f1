import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { Home } from './frame/home.tsx'
import { TeamFrame } from './frame/team-frame.tsx'
import { ConfirmEmailPage } from './gate/confirm-email-page.tsx'
import { InvitationPage } from './gate/invitation-page.tsx'
import { SetupPage } from './gate/setup-page.tsx'
import { SignInPage } from './gate/sign-in-page.tsx'
import { searchOf } from './packages/search.ts'
import { currentToken } from './session/token.ts'

const root = createRootRoute({ notFoundComponent: Home })

const setup = createRoute({ getParentRoute: () => root, path: '/setup', component: SetupPage })
const invitation = createRoute({ getParentRoute: () => root, path: '/invitation', component: InvitationPage })
const confirmation = createRoute({ getParentRoute: () => root, path: '/confirm-email', component: ConfirmEmailPage })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/console/sign-in',
  // Only a place inside the console: an address that somebody else wrote must lead nowhere else.
  validateSearch: ({ back }: Record<string, unknown>): { back?: string } =>
    typeof back === 'string' && /^\/console\/[\w\-./?=&%,+]*$/.test(back) ? { back } : {},
  component: SignInPage,
})

/** Whoever has no session signs in first, and comes back to where they wanted to be. */
function expectSession({ location }: { readonly location: { readonly href: string } }): void {
  if (currentToken() === undefined) throw redirect({ to: '/console/sign-in', search: { back: location.href } })
}

const home = createRoute({ getParentRoute: () => root, path: '/console', beforeLoad: expectSession, component: Home })

const team = createRoute({
  getParentRoute: () => root,
  path: '/console/$team',
  beforeLoad: expectSession,
  component: TeamFrame,
})

const packageList = () => import('./packages/package-list.tsx')
const portalEditor = () => import('./portals/portal-editor-page.tsx')

const places = [
  createRoute({
    getParentRoute: () => team,
    path: 'packages',
    validateSearch: searchOf,
    component: lazyRouteComponent(packageList, 'SentPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'inbox',
    validateSearch: searchOf,
    component: lazyRouteComponent(packageList, 'ReceivedPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'packages/$packageId',
    component: lazyRouteComponent(() => import('./packages/package-page.tsx'), 'PackagePage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'send',
    component: lazyRouteComponent(() => import('./send/send-page.tsx'), 'SendPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'portals',
    component: lazyRouteComponent(() => import('./portals/portals-page.tsx'), 'PortalsPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'portals/new',
    component: lazyRouteComponent(portalEditor, 'NewPortalPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'portals/$portalId',
    component: lazyRouteComponent(portalEditor, 'PortalPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'usage',
    component: lazyRouteComponent(() => import('./usage/usage-page.tsx'), 'UsagePage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'webhooks',
    component: lazyRouteComponent(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'webhooks/$webhookId',
    component: lazyRouteComponent(() => import('./webhooks/webhook-page.tsx'), 'WebhookPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'connections',
    component: lazyRouteComponent(() => import('./connections/connections-page.tsx'), 'ConnectionsPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'connections/$connectionId',
    validateSearch: ({ folder }: Record<string, unknown>): { folder?: string } =>
      typeof folder === 'string' ? { folder } : {},
    component: lazyRouteComponent(() => import('./connections/connection-page.tsx'), 'ConnectionPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'keys',
    component: lazyRouteComponent(() => import('./keys/keys-page.tsx'), 'KeysPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'members',
    component: lazyRouteComponent(() => import('./members/members-page.tsx'), 'MembersPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'spaces',
    component: lazyRouteComponent(() => import('./spaces/spaces-page.tsx'), 'SpacesPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'tags',
    component: lazyRouteComponent(() => import('./tags/tags-page.tsx'), 'TagsPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'settings',
    component: lazyRouteComponent(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
  }),
  createRoute({
    getParentRoute: () => team,
    path: 'account',
    component: lazyRouteComponent(() => import('./account/account-page.tsx'), 'AccountPage'),
  }),
] as const

export const router = createRouter({
  routeTree: root.addChildren([setup, invitation, confirmation, signIn, home, team.addChildren(places)]),
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
