import assert from 'node:assert/strict'
import fc from 'fast-check'
import { makeMember, makeTeam, type Member, sql } from '#members'
import { call, walkMachine } from '#model'
import { test } from '#record'
import { startSecondServer } from '#second-server'
import { someName } from '#walk'

// Two Owners and two Admins: what the creator may and another of the same role may not is part of the rules.
const creators = ['owner', 'admin', 'integration_manager'] as const
const actors = [...creators, 'other owner', 'other admin', 'member', 'stranger'] as const
type Actor = (typeof actors)[number]
type Switch = 'active' | 'inactive'

interface Model {
  readonly creator: Actor
  state: Switch | 'suspended' | 'deleted'
  name: string
}

interface Real {
  readonly id: string
  readonly key: string
}

type Action =
  | { readonly do: 'suspend' | 'unsuspend' | 'use' }
  | { readonly do: 'list' | 'delete'; readonly by: Actor }
  | { readonly do: 'switch'; readonly by: Actor; readonly to: Switch }
  | { readonly do: 'update'; readonly by: Actor; readonly to: Switch; readonly name: string }

const by = fc.constantFrom(...actors)
const to = fc.constantFrom<Switch>('active', 'inactive')
const word = <Word extends Action['do']>(value: Word) => fc.constant(value)

const actions: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: word('switch'), by, to }) },
  { weight: 5, arbitrary: fc.record({ do: word('update'), by, to, name: fc.constantFrom('press', 'camera') }) },
  { weight: 3, arbitrary: fc.record({ do: word('list'), by }) },
  { weight: 2, arbitrary: fc.record({ do: word('delete'), by }) },
  { weight: 4, arbitrary: fc.record({ do: word('use') }) },
  { weight: 1, arbitrary: fc.record({ do: word('suspend') }) },
  { weight: 1, arbitrary: fc.record({ do: word('unsuspend') }) },
)

/** What stands in the way of somebody who wants to change the key, if anything does. */
function refusalTo(actor: Actor, { creator, state }: Model): string | undefined {
  if (state === 'deleted' || actor === 'stranger') return 'api_key_not_found'
  if (actor === 'owner' || actor === 'other owner' || actor === creator) return undefined
  return 'insufficient_role'
}

const listing = (actor: Actor, { creator, state, name }: Model): string => {
  if (actor === 'stranger') return 'team_not_found'
  if (actor === 'member') return 'insufficient_role'
  const sees = actor === 'owner' || actor === 'other owner' || actor === creator
  return sees && state !== 'deleted' ? `${state} ${name}` : 'not listed'
}

function expect(model: Model, action: Action): string {
  switch (action.do) {
    case 'suspend':
      if (model.state === 'deleted' || model.state === 'suspended') return 'nothing to do'
      model.state = 'suspended'
      return 'done'
    case 'unsuspend':
      if (model.state !== 'suspended') return 'nothing to do'
      model.state = 'active'
      return 'done'
    case 'use':
      if (model.state === 'active') return '200'
      return model.state === 'deleted' ? 'credential_invalid' : 'api_key_inactive'
    case 'list':
      return listing(action.by, model)
    case 'delete': {
      const refusal = refusalTo(action.by, model)
      if (refusal !== undefined) return refusal
      model.state = 'deleted'
      return '204'
    }
    case 'switch':
    case 'update': {
      const refusal = refusalTo(action.by, model)
      if (refusal !== undefined) return refusal
      if (model.state === 'suspended') return 'api_key_suspended'
      model.state = action.to
      if (action.do === 'update') model.name = action.name
      return action.do === 'update' ? `200 ${model.state} ${model.name}` : '204'
    }
  }
}

/** The one column that the operator's command writes. The command itself, a process a time, is shown elsewhere. */
async function setSuspended(id: string, suspended: boolean): Promise<string> {
  const changed = await sql(`
    update api_keys set state = '${suspended ? 'suspended' : 'active'}'
     where id = '${id}' and (state = 'suspended') <> ${suspended} returning id`)
  return changed === '' || changed === 'UPDATE 0' ? 'nothing to do' : 'done'
}

const sequences = 1_100

test(`the states of an API key are those of the model, over ${sequences} sequences of calls`, async (t) => {
  const [teamId, elsewhere] = [await makeTeam(someName('Keys')), await makeTeam(someName('Elsewhere'))]
  const members: Readonly<Record<Actor, Member>> = {
    owner: await makeMember('owner', teamId),
    'other owner': await makeMember('owner', teamId),
    admin: await makeMember('admin', teamId),
    'other admin': await makeMember('admin', teamId),
    integration_manager: await makeMember('integration_manager', teamId),
    member: await makeMember('member', teamId),
    stranger: await makeMember('owner', elsewhere),
  }
  const server = await startSecondServer({ LONGSHORE_LOG_LEVEL: 'warn' })
  t.after(() => server.stop())
  const as = (actor: Actor) => ({ 'x-user-token': members[actor].token })
  const keysOfTeam = `${server.url}/v1/teams/${teamId}/api_keys`
  const listedFor = async (actor: Actor, id: string) => {
    const { outcome, body } = await call('GET', keysOfTeam, as(actor))
    if (outcome !== '200') return outcome
    const found = (body as unknown as { id: string; state: string; name: string }[]).find((key) => key.id === id)
    return found === undefined ? 'not listed' : `${found.state} ${found.name}`
  }
  let made = 0

  await walkMachine<Model, Real, Action>(t, sequences, {
    actions,
    expect,
    async begin() {
      made += 1
      const creator = creators[made % creators.length] ?? 'owner'
      const state = made % 2 === 0 ? 'active' : 'inactive'
      const fields = { name: 'first', state }
      assert.equal((await call('POST', keysOfTeam, as('member'), fields)).outcome, 'insufficient_role')
      const { outcome, body } = await call('POST', keysOfTeam, as(creator), fields)
      assert.equal(outcome, '201')
      return { real: { id: String(body['id']), key: String(body['key']) }, model: { creator, state, name: 'first' } }
    },
    async perform(real, action) {
      const at = `${server.url}/v1/api_keys/${real.id}`
      switch (action.do) {
        case 'suspend':
        case 'unsuspend':
          return setSuspended(real.id, action.do === 'suspend')
        case 'use':
          return (await call('GET', `${server.url}/v1/users/me`, { 'x-api-key': real.key })).outcome
        case 'list':
          return listedFor(action.by, real.id)
        case 'delete':
          return (await call('DELETE', at, as(action.by))).outcome
        case 'switch':
          return (await call('PUT', `${at}/${action.to}`, as(action.by))).outcome
        case 'update': {
          const fields = { name: action.name, state: action.to }
          const { outcome, body } = await call('PUT', at, as(action.by), fields)
          assert.equal(body['key'], undefined, 'the secret is shown once')
          return outcome === '200' ? `200 ${String(body['state'])} ${String(body['name'])}` : outcome
        }
      }
    },
    async compare(real, model) {
      assert.equal(await listedFor('owner', real.id), listing('owner', model))
    },
    // Or the lists would grow from sequence to sequence.
    end: async (real) => void (await call('DELETE', `${server.url}/v1/api_keys/${real.id}`, as('owner'))),
  })
})
