import { type Static, type TObject, Type } from 'typebox'

/** A job that is wanted: its name, what it needs to know, and how often it is tried. Who does it is the worker's affair. */
export interface Order<Payload extends TObject = TObject> {
  readonly name: string
  readonly payload: Payload
  /** Tries after the first. */
  readonly retries: number
  /** Seconds before the second try; doubles from there, with jitter. */
  readonly firstPause: number
  readonly longestPause: number
}

export type PayloadOf<O> = O extends Order<infer Payload> ? Static<Payload> : never

const order = <Payload extends TObject>(declared: Order<Payload>): Order<Payload> => declared

// Storage that is away comes back: these go on for about two days before an operator has to look.
const patiently = { retries: 60, firstPause: 5, longestPause: 3_600 } as const

const Id = Type.String()

/** Remove the objects of a package that has ended. The last pass also removes what we know of its files. */
export const purgePackage = order({
  name: 'purge-package',
  payload: Type.Object({ teamId: Id, packageId: Id, last: Type.Boolean() }),
  ...patiently,
})

/** Remove the object of one file that was taken out of its package. */
export const purgeObject = order({
  name: 'purge-object',
  payload: Type.Object({ location: Type.String(), key: Type.String() }),
  ...patiently,
})

// A mail server that is away comes back; after half a day a mail is no longer worth sending.
const byMail = { retries: 20, firstPause: 5, longestPause: 3_600 } as const

export const mailInvitation = order({
  name: 'mail-invitation',
  payload: Type.Object({ teamId: Id, invitationId: Id, invitedBy: Id, tokenSealed: Type.String() }),
  ...byMail,
})

export const mailEmailConfirmation = order({
  name: 'mail-email-confirmation',
  payload: Type.Object({ id: Id, email: Type.String(), tokenSealed: Type.String() }),
  ...byMail,
})

/** Mail one link to the one it was made for. */
export const mailLink = order({
  name: 'mail-link',
  payload: Type.Object({ teamId: Id, packageId: Id, linkId: Id }),
  ...byMail,
})

/** Tell the sender of a Portal package that it arrived. */
export const mailReceipt = order({
  name: 'mail-receipt',
  payload: Type.Object({ teamId: Id, packageId: Id }),
  ...byMail,
})

/** Tell those whom it concerns that files of a package are infected or damaged. */
export const mailIncident = order({
  name: 'mail-incident',
  payload: Type.Object({ teamId: Id, packageId: Id }),
  ...byMail,
})

/** Work out how the archives of a package of very many files are laid out, before somebody asks for one. */
export const planArchives = order({
  name: 'plan-archives',
  payload: Type.Object({ teamId: Id, packageId: Id }),
  retries: 3,
  firstPause: 5,
  longestPause: 60,
})

/** Entries of the timetable. */
const housekeeping = { payload: Type.Object({}), retries: 0, firstPause: 1, longestPause: 1 } as const
export const expireDue = order({ name: 'expire-due', ...housekeeping })
export const giveUpAbandoned = order({ name: 'give-up-abandoned', ...housekeeping })
export const addUpCounts = order({ name: 'add-up-counts', ...housekeeping })
export const tidyUp = order({ name: 'tidy-up', ...housekeeping })
export const reconcileStore = order({ name: 'reconcile-store', ...housekeeping })

export const orders: readonly Order[] = [
  purgePackage,
  purgeObject,
  mailEmailConfirmation,
  mailInvitation,
  mailLink,
  mailReceipt,
  mailIncident,
  planArchives,
  expireDue,
  giveUpAbandoned,
  addUpCounts,
  tidyUp,
  reconcileStore,
]
