import type { Appointment } from '#queue/engine'
import { addUpCounts, expireDue, giveUpAbandoned, reconcileStore, tidyUp } from '#queue/orders'

/** What is done by the clock. One worker of all takes each appointment. */
export const timetable: readonly Appointment[] = [
  { order: expireDue, cron: '* * * * *' },
  { order: addUpCounts, cron: '* * * * *' },
  { order: giveUpAbandoned, cron: '7 * * * *' },
  { order: tidyUp, cron: '23 * * * *' },
  // At night, by the clock of the database: it reads every row of files and every entry of the bucket once.
  { order: reconcileStore, cron: '41 2 * * *' },
]
