import * as wire from '@longshore/contract/cloud/account'
import { changeEmail, confirmEmail } from '#domain/accounts/change-email'
import { changePassword } from '#domain/accounts/change-password'
import { setUp } from '#domain/accounts/set-up'
import { signIn } from '#domain/accounts/sign-in'
import { updateUser } from '#domain/accounts/update-user'
import { whoAmI } from '#domain/accounts/who-am-i'
import { route } from './route.ts'

export const accountRoutes = [
  route(wire.setUp, (cx, { body }) => setUp(cx, body)),
  route(wire.signIn, (cx, { body, address }) => signIn(cx, body, address)),
  route(wire.whoAmI, (cx, { caller }) => whoAmI(cx, caller)),
  route(wire.updateUser, (cx, { caller, params, body }) => updateUser(cx, caller, params.user_id, body)),
  route(wire.changePassword, (cx, { caller, params, body, address }) =>
    changePassword(cx, caller, params.user_id, body, address),
  ),
  route(wire.changeEmail, (cx, { caller, params, body, address }) =>
    changeEmail(cx, caller, params.user_id, body, address),
  ),
  route(wire.confirmEmail, (cx, { params }) => confirmEmail(cx, params.token)),
]
