import type { createTeamPackage } from '@longshore/contract/cloud/packages'
import type { InputOf } from '@longshore/contract/endpoint'
import { addressesIn } from '../frame/addresses.ts'

/** What a package is called, to whom it goes and on which terms, as it is typed. */
export interface Terms {
  readonly name: string
  readonly description: string
  readonly recipients: string
  readonly password: string
  readonly access_limit: string
  readonly forever: boolean
}

export const packageBodyOf = (terms: Terms): InputOf<typeof createTeamPackage>['body'] => ({
  name: terms.name,
  description: terms.description,
  recipients: addressesIn(terms.recipients),
  ...(terms.password === '' ? {} : { password: terms.password }),
  ...(terms.access_limit === '' ? {} : { access_limit: Number(terms.access_limit) }),
  ...(terms.forever ? { unlimited_storage: true } : {}),
})
