import type { Appointment } from '#queue/engine'
import { addUpCounts, expireDue, giveUpAbandoned, tidyUp } from '#queue/orders'

/** What is done by the clock. One worker of all takes each appointment. */
export const timetable: readonly Appointment[] = [
  { order: expireDue, cron: '* * * * *' },
  { order: addUpCounts, cron: '* * * * *' },
  { order: giveUpAbandoned, cron: '7 * * * *' },
  { order: tidyUp, cron: '23 * * * *' },
]
