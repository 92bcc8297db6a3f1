import { mailConfirmation } from '#domain/accounts/change-email'
import { keepPlans } from '#domain/archives/kept-plans'
import type { Cx } from '#domain/cx'
import { tidy } from '#domain/housekeeping'
import { mailIncident as sendIncident } from '#domain/notices/mail-incident'
import { mailInvitation as sendInvitation } from '#domain/notices/mail-invitation'
import { mailLink as sendLink } from '#domain/notices/mail-link'
import { mailReceipt as sendReceipt } from '#domain/notices/mail-receipt'
import { addUp } from '#domain/packages/add-up-counts'
import { expireDuePackages, giveUpAbandonedPackages } from '#domain/packages/expire-packages'
import { purgePackages } from '#domain/packages/purge-package'
import { nightly, reconcile } from '#domain/reconcile/reconcile'
import { purgeOneObject } from '#domain/uploads/remove-file'
import type { Work } from '#queue/engine'
import {
  addUpCounts,
  expireDue,
  giveUpAbandoned,
  mailEmailConfirmation,
  mailIncident,
  mailInvitation,
  mailLink,
  mailReceipt,
  type Order,
  type PayloadOf,
  planArchives,
  purgeObject,
  purgePackage,
  reconcileStore,
  tidyUp,
} from '#queue/orders'

/** Who does which order. Every handler may run twice for one order and does no harm the second time. */
export const handlers = (cx: Cx): readonly Work[] => [
  handleMany(purgePackage, 100, (orders, signal) => purgePackages(cx, orders, signal)),
  handle(purgeObject, 8, (order) => purgeOneObject(cx, order)),
  handle(mailInvitation, 2, (order) => sendInvitation(cx, order)),
  handle(mailLink, 4, (order) => sendLink(cx, order)),
  handle(mailReceipt, 2, (order) => sendReceipt(cx, order)),
  handle(mailIncident, 2, (order) => sendIncident(cx, order)),
  handle(mailEmailConfirmation, 2, (order) => mailConfirmation(cx, order)),
  handle(planArchives, 1, (order) => keepPlans(cx, order)),
  handle(expireDue, 1, (_order, signal) => expireDuePackages(cx, signal)),
  handle(giveUpAbandoned, 1, (_order, signal) => giveUpAbandonedPackages(cx, signal)),
  handle(addUpCounts, 1, (_order, signal) => addUp(cx, signal)),
  handle(tidyUp, 1, () => tidy(cx)),
  handle(reconcileStore, 1, (_order, signal) => reconcile(cx, nightly, signal)),
]

const handleMany = <O extends Order>(
  order: O,
  concurrency: number,
  run: (payloads: readonly PayloadOf<O>[], signal: AbortSignal) => Promise<unknown>,
): Work => ({
  ...handle(order, concurrency, (payload, signal) => run([payload], signal)),
  runMany: async (payloads, signal) => void (await run(payloads as readonly PayloadOf<O>[], signal)),
})

const handle = <O extends Order>(
  order: O,
  concurrency: number,
  run: (payload: PayloadOf<O>, signal: AbortSignal) => Promise<unknown>,
): Work => ({
  order,
  concurrency,
  run: async (payload, signal) => void (await run(payload as PayloadOf<O>, signal)),
})
