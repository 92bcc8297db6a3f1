import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { call, walkMachine } from '#model'
import { test } from '#record'
import { startSecondServer } from '#second-server'
import { target } from '#target'
import { lastModified } from '#walk'

interface Model {
  name: string
  state: 'new' | 'finalized' | 'expired' | 'archived'
  /** Its expiry has passed. Only a finalized package ends by that. */
  overdue: boolean
  unlimited: boolean
  readonly folders: Set<string>
  unfinished: number
  links: number
}

interface Real {
  readonly id: string
  readonly token: { readonly 'x-package-token': string }
  readonly unfinished: string[]
  readonly links: { readonly id: string; readonly secret: string }[]
}

type Action =
  | { readonly do: 'add a folder' | 'update'; readonly name: string }
  | {
      readonly do:
        | 'add a file'
        | 'remove a file'
        | 'finalize'
        | 'delete'
        | 'let expire'
        | 'set expiry'
        | 'keep without end'
        | 'archive'
        | 'unarchive'
        | 'make a link'
        | 'open a link'
    }

const actions: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('add a folder' as const), name: fc.constantFrom('a', 'b') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('update' as const), name: fc.constantFrom('Day 1', 'Day 2') }) },
  ...(
    [
      ['add a file', 1],
      ['remove a file', 2],
      ['finalize', 5],
      ['delete', 2],
      ['let expire', 3],
      ['set expiry', 1],
      ['keep without end', 1],
      ['archive', 3],
      ['unarchive', 2],
      ['make a link', 2],
      ['open a link', 2],
    ] as const
  ).map(([word, weight]) => ({ weight, arbitrary: fc.constant({ do: word }) })),
)

const shown = ({ state, overdue }: Model): Model['state'] => (state === 'finalized' && overdue ? 'expired' : state)
const hasEnded = (model: Model): boolean => shown(model) === 'expired' || shown(model) === 'archived'

/** The table of states and transitions, with what each call answers in each of them. */
function expect(model: Model, action: Action): string {
  const state = shown(model)
  switch (action.do) {
    case 'add a folder': {
      if (state !== 'new') return state === 'finalized' ? 'package_not_new' : 'package_expired'
      if (model.folders.has(action.name)) return 'duplicate_path'
      model.folders.add(action.name)
      return '201'
    }
    case 'add a file':
      if (state !== 'new') return state === 'finalized' ? 'package_not_new' : 'package_expired'
      model.unfinished += 1
      return '201'
    case 'remove a file':
      if (model.unfinished === 0) return 'nothing to do'
      if (state !== 'new') return state === 'finalized' ? 'package_not_new' : 'package_expired'
      model.unfinished -= 1
      return '204'
    case 'finalize':
      if (hasEnded(model)) return 'package_expired'
      if (state === 'finalized') return '204'
      if (model.unfinished > 0) return 'files_unfinished'
      if (model.folders.size === 0) return 'package_empty'
      model.state = 'finalized'
      return '204'
    case 'delete':
      if (!hasEnded(model)) model.state = 'expired'
      return '204'
    case 'let expire':
    case 'set expiry':
    case 'keep without end':
      if (hasEnded(model)) return 'package_expired'
      model.overdue = action.do === 'let expire'
      model.unlimited = action.do === 'keep without end'
      return '200'
    case 'archive':
      if (!hasEnded(model)) return 'package_not_expired'
      model.state = 'archived'
      return '204'
    case 'unarchive':
      if (!hasEnded(model)) return 'package_not_expired'
      if (state === 'archived') model.state = 'expired'
      return '204'
    case 'update':
      if (hasEnded(model)) return 'package_expired'
      model.name = action.name
      return '200'
    case 'make a link':
      if (hasEnded(model)) return 'package_expired'
      model.links += 1
      return '201'
    case 'open a link':
      if (model.links === 0) return 'nothing to do'
      if (state === 'new') return 'link_inactive'
      return state === 'finalized' ? '200' : 'package_expired'
  }
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const entry = (kind: 'file' | 'directory', name: string) => ({ kind, name, path: '', last_modified: lastModified })

/** Sets an expiry a moment ahead and waits for it. A machine that stalls needs a longer moment. */
async function letExpire(at: string, token: Real['token']): Promise<string> {
  for (let ahead = 50; ; ahead *= 2) {
    const expiry = Date.now() + ahead
    const { outcome } = await call('PUT', `${at}/expiry`, token, { expiry: new Date(expiry).toISOString() })
    if (outcome === 'validation_failed' && ahead < 10_000) continue
    if (outcome === '200') await sleep(Math.max(0, expiry - Date.now()) + 2)
    return outcome
  }
}

async function perform(url: string, real: Real, action: Action): Promise<string> {
  const at = `${url}/v1/packages/${real.id}`
  const { token } = real
  switch (action.do) {
    case 'add a folder':
      return (await call('POST', `${at}/files`, token, entry('directory', action.name))).outcome
    case 'add a file': {
      const { outcome, body } = await call('POST', `${at}/files`, token, entry('file', `f${real.unfinished.length}`))
      if (outcome === '201') real.unfinished.push((body['file'] as { id: string }).id)
      return outcome
    }
    case 'remove a file': {
      const id = real.unfinished.at(-1)
      if (id === undefined) return 'nothing to do'
      const { outcome } = await call('DELETE', `${at}/files/${id}`, token)
      if (outcome === '204') real.unfinished.pop()
      return outcome
    }
    case 'finalize':
      return (await call('POST', `${at}/finalize`, token)).outcome
    case 'delete':
      return (await call('DELETE', at, token)).outcome
    case 'let expire':
      return letExpire(at, token)
    case 'set expiry':
      return (await call('PUT', `${at}/expiry`, token, { expiry: inDays(3) })).outcome
    case 'keep without end':
      return (await call('PUT', `${at}/expiry`, token, { unlimited_storage: true })).outcome
    case 'archive':
    case 'unarchive':
      return (await call('PUT', `${at}/${action.do}`, token)).outcome
    case 'update':
      return (await call('PUT', at, token, { name: action.name })).outcome
    case 'make a link': {
      const { outcome, body } = await call('POST', `${at}/links`, token, {})
      if (outcome === '201') real.links.push({ id: String(body['id']), secret: String(body['secret']) })
      return outcome
    }
    case 'open a link': {
      const link = real.links.at(-1)
      if (link === undefined) return 'nothing to do'
      return (await call('GET', `${url}/v1/links/${link.id}?secret=${link.secret}`, {})).outcome
    }
  }
}

const sequences = 2_000

test(`the states of a package are those of the model, over ${sequences} sequences of calls`, async (t) => {
  // Of the target's database, with its worker; quiet, since tens of thousands of calls say nothing new in a log.
  const server = await startSecondServer({ LONGSHORE_LOG_LEVEL: 'warn' })
  t.after(() => server.stop())
  const { url } = server
  await walkMachine<Model, Real, Action>(t, sequences, {
    actions,
    expect,
    perform: (real, action) => perform(url, real, action),
    async begin() {
      const fields = { name: 'Day 0', description: '', recipients: [] }
      const credential = { 'x-api-key': target.api_key }
      const { outcome, body } = await call('POST', `${url}/v1/teams/${target.team_id}/packages`, credential, fields)
      assert.equal(outcome, '201')
      const token = { 'x-package-token': String(body['access_token']) }
      return {
        real: { id: String(body['id']), token, unfinished: [], links: [] },
        model: {
          name: fields.name,
          state: 'new',
          overdue: false,
          unlimited: false,
          folders: new Set<string>(),
          unfinished: 0,
          links: 0,
        },
      }
    },
    async compare(real, model) {
      const { outcome, body } = await call('GET', `${url}/v1/packages/${real.id}`, real.token)
      assert.deepEqual(
        [outcome, body['state'], body['name'], body['unlimited_storage'], body['total_files'], body['size']],
        ['200', shown(model), model.name, model.unlimited, 0, 0],
      )
    },
  })
})
