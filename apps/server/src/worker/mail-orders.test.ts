import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLog } from '@longshore/kit/log'
import { openQueue } from '#queue/engine'
import { testCx } from '#test-kit/cx'
import { jobStates } from '#test-kit/look'
import { mailsTo } from '#test-kit/mails'
import { makePackage } from '#test-kit/make'
import { smtpRoad } from '#test-kit/smtp'
import { handlers } from './handlers.ts'

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`In 30 s it did not come to this: ${what}.`)
    await sleep(100)
  }
}

test('mails that the mail server was away for arrive once it is back, each once', async (t) => {
  const cx = await testCx(t)
  const recipients = Array.from({ length: 5 }, () => `rita-${randomBytes(6).toString('hex')}@example.test`)
  await makePackage(cx, { recipients, files: [{}], finalized: true })
  const road = await smtpRoad(t)
  const queue = await openQueue(cx.databaseUrl, createLog('test', 'silent'), 'orders-and-work')
  t.after(() => queue.stop())
  const world = { ...cx, queue, mailer: road.mailer }
  await queue.work(
    handlers(world).filter(({ order }) => order.name === 'mail-link'),
    [],
  )
  await until('every mail was tried in vain', async () =>
    (await jobStates(cx, 'mail-link')).every((state) => state === 'retry'),
  )
  await road.open()
  await until('every order is done', async () =>
    (await jobStates(cx, 'mail-link')).every((state) => state === 'completed'),
  )
  for (const address of recipients) assert.equal((await mailsTo(address)).length, 1)
})
