import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { send } from '#http'

/** What came of a call: its status, or the name of the refusal; and the body. */
export interface Outcome {
  readonly outcome: string
  readonly body: Readonly<Record<string, unknown>>
}

/** A call without the checks that `ask` makes of every reply: these tests make tens of thousands. */
export async function call(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  credential: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Outcome> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const answer = await send({
    method,
    url,
    headers: [
      ...Object.entries(credential),
      ...(text === undefined ? [] : [['content-type', 'application/json'] as const]),
    ],
    ...(text === undefined ? {} : { body: text }),
  })
  const reply = (answer.text === '' ? {} : JSON.parse(answer.text)) as Readonly<Record<string, unknown>>
  return { outcome: answer.status < 300 ? String(answer.status) : String(reply['error']), body: reply }
}

export interface Machine<Model extends object, Real, Action> {
  readonly actions: fc.Arbitrary<Action>
  /** Makes the thing whose states are walked through, and the model that knows what it must be. */
  begin(): Promise<{ model: Model; real: Real }>
  /** Does to the model what the action should do to the real thing, and answers the outcome that must come of it. */
  expect(model: Model, action: Action): string
  /** Does it to the real thing, and answers what came of it. `model` is as before. */
  perform(real: Real, action: Action, model: Readonly<Model>): Promise<string>
  /** Holds what the server shows against the model. */
  compare(real: Real, model: Readonly<Model>): Promise<void>
  end?(real: Real): Promise<void>
}

// Sequences at the same time. Each has a thing of its own, so they do not meet.
const lanes = 16

/**
 * Walks so many random sequences of actions through a state machine and its model side by side; after every action the
 * outcome and what is shown must be the model's. MODEL_SEED repeats a run.
 */
export async function walkMachine<Model extends object, Real, Action>(
  t: TestContext,
  sequences: number,
  machine: Machine<Model, Real, Action>,
): Promise<void> {
  const seed = Number(process.env['MODEL_SEED'] ?? randomInt(2 ** 31 - lanes))
  const walked = { sequences: 0, actions: 0 }
  const command = (action: Action): fc.AsyncCommand<Model, Real> => ({
    check: () => true,
    toString: () => JSON.stringify(action),
    async run(model, real) {
      const got = await machine.perform(real, action, model)
      assert.equal(got, machine.expect(model, action))
      await machine.compare(real, model)
      walked.actions += 1
    },
  })
  const property = fc.asyncProperty(
    fc.array(machine.actions.map(command), { minLength: 2, maxLength: 8, size: 'max' }),
    async (commands) => {
      const { model, real } = await machine.begin()
      await machine.compare(real, model)
      try {
        await fc.asyncModelRun(() => ({ model, real }), commands)
      } finally {
        await machine.end?.(real)
      }
      walked.sequences += 1
    },
  )
  const numRuns = Math.ceil(sequences / lanes)
  const ended = await Promise.allSettled(
    Array.from({ length: lanes }, (_, lane) => fc.assert(property, { seed: seed + lane, numRuns })),
  )
  t.diagnostic(`${walked.sequences} sequences, ${walked.actions} actions, MODEL_SEED=${seed}`)
  for (const lane of ended) {
    if (lane.status === 'rejected') throw lane.reason
  }
  assert.ok(walked.sequences >= sequences, `only ${walked.sequences} sequences`)
}
