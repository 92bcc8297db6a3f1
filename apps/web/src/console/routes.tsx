import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { ConfirmEmailPage } from './gate/confirm-email-page.tsx'
import { InvitationPage } from './gate/invitation-page.tsx'
import { SetupPage } from './gate/setup-page.tsx'
import { SignInPage } from './gate/sign-in-page.tsx'
import { currentToken } from './session/token.ts'

const root = createRootRoute()

const setup = createRoute({ getParentRoute: () => root, path: '/setup', component: SetupPage })
const invitation = createRoute({ getParentRoute: () => root, path: '/invitation', component: InvitationPage })
const confirmation = createRoute({ getParentRoute: () => root, path: '/confirm-email', component: ConfirmEmailPage })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/console/sign-in',
  // Only a place inside the console: an address that somebody else wrote must lead nowhere else.
  validateSearch: ({ back }: Record<string, unknown>): { back?: string } =>
    typeof back === 'string' && /^\/console\/[\w\-./?=&%]*$/.test(back) ? { back } : {},
  component: SignInPage,
})

const inside = createRoute({
  getParentRoute: () => root,
  path: '/console',
  beforeLoad: ({ location }) => {
    if (currentToken() === undefined) throw redirect({ to: '/console/sign-in', search: { back: location.href } })
  },
  component: lazyRouteComponent(() => import('./frame/welcome.tsx'), 'Welcome'),
})

export const router = createRouter({
  routeTree: root.addChildren([setup, invitation, confirmation, signIn, inside]),
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
