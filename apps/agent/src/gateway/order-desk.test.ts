import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOrderDesk } from './order-desk.ts'

const forEver = new AbortController().signal
const page = (next: string) => async () => ({ files: [], next })

test('files are asked for over the line that has the order, and waited for while none has', async () => {
  const desk = createOrderDesk()
  const early = desk.askForFiles('t1', '', forEver)
  desk.put('t2', page('of another'))
  desk.put('t1', page('first line'))
  assert.equal((await early).next, 'first line')
  desk.take('t1')
  const [one, other] = [desk.askForFiles('t1', '', forEver), desk.askForFiles('t1', '', forEver)]
  desk.put('t1', page('second line'))
  assert.deepEqual(
    (await Promise.all([one, other])).map(({ next }) => next),
    ['second line', 'second line'],
  )
})

test('whoever waits may be called off', async () => {
  const desk = createOrderDesk()
  const stop = new AbortController()
  const waiting = desk.askForFiles('t1', '', stop.signal)
  stop.abort(new Error('paused'))
  await assert.rejects(waiting, /paused/)
})
