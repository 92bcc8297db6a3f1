import type { ListedAutomation } from '@longshore/contract/agent/automations'
import { zeroTime } from '@longshore/contract/limits'
import { Refusal } from '@longshore/kit/refusal'
import type { Static } from 'typebox'
import {
  addAutomation,
  type AutomationRow,
  listAutomations,
  removeAutomation,
  saveAutomation,
} from '#state/automations'
import { underWay } from '#state/sendings'
import type { ShownError } from '#transfers/errors'
import { pack, unpack } from './carry.ts'
import { checkFolders } from './check-folders.ts'
import { fetchPackages } from './fetch-packages.ts'
import { type Automation, checkFields, type FieldsOf, type Kind, known, withoutSecrets } from './kinds.ts'
import type { Means, Round } from './round.ts'
import { settleSendings } from './settle.ts'
import { streamFiles } from './stream-files.ts'
import { type Worker, work } from './supervisor.ts'
import { watchFolder } from './watch-folder.ts'

export type Automations = ReturnType<typeof openAutomations>

type Shown<K extends Kind> = Extract<Static<typeof ListedAutomation>, FieldsOf<K>>

const settlingsPerMinute = 60

/** All automations of this agent. Each works on its own; what they began is seen to, whatever becomes of them. */
export function openAutomations(means: Means) {
  const { db, minuteMs, now } = means
  const workers = new Map<string, Worker>()

  const all = (): Automation[] => listAutomations(db).map(read)
  const mustRead = (type: Kind, id: string): Automation => {
    const one = all().find((other) => other.id === id && other.type === type)
    if (one === undefined) throw new Refusal('automation_not_found', `There is no ${type} automation '${id}'.`)
    return one
  }

  const begin = (one: Automation) => {
    if (one.fields.enabled !== false) workers.set(one.id, work(means, one.id, roundOf(means, one)))
  }
  const end = async (id: string) => {
    const worker = workers.get(id)
    workers.delete(id)
    await worker?.end()
  }

  const present = <K extends Kind>(one: Automation): Shown<K> => {
    const worker = workers.get(one.id)
    const { count, error } = underWay(db, one.id)
    const failed = error === null ? '' : (JSON.parse(error) as ShownError).message
    const lastError = worker?.lastError() || failed
    const state = {
      automation_id: one.id,
      type: one.type,
      state: stateOf(worker !== undefined, lastError, count),
      last_run_at: worker?.lastRunAt()?.toISOString() ?? zeroTime,
      last_error: lastError,
    }
    return { ...withoutSecrets(one.fields), ...state } as unknown as Shown<K>
  }

  const create = <K extends Kind>(type: K, given: FieldsOf<K>, id: string): Shown<K> => {
    const before = all().find((other) => other.id === id)
    // Made again under its id, since the answer was lost.
    if (before !== undefined) return present(before)
    const fields = withDefaults(type, known(type, given), now())
    const one = { id, type, fields } as Automation
    checkFolders(one, all(), means.dataDir)
    addAutomation(db, { id: one.id, type, fields: JSON.stringify(fields) })
    begin(one)
    return present(one)
  }

  for (const one of all()) begin(one)
  const caretaker = work(means, 'caretaker', async () => {
    await settleSendings(means)
    return minuteMs / settlingsPerMinute
  })

  return {
    list: () => ({ automations: all().map((one) => present(one)) }),
    create,
    update: async <K extends Kind>(type: K, id: string, given: Partial<FieldsOf<K>>): Promise<Shown<K>> => {
      const before = mustRead(type, id)
      const fields = known(type, checkFields(type, { ...before.fields, ...given }))
      const one = { id, type, fields } as Automation
      checkFolders(one, all(), means.dataDir)
      await end(id)
      saveAutomation(db, id, JSON.stringify(fields))
      begin(one)
      return present(one)
    },
    remove: async (type: Kind, id: string): Promise<void> => {
      mustRead(type, id)
      await end(id)
      db.transaction(() => removeAutomation(db, id))
    },
    export: (type: Kind, id: string, includeSecrets: boolean): string => pack(mustRead(type, id), includeSecrets),
    import: (data: string, id: string) => {
      const { type, fields } = unpack(data)
      return create(type, fields, id)
    },
    close: async (): Promise<void> => {
      await Promise.all([caretaker.end(), ...[...workers.keys()].map(end)])
    },
  }
}

const read = ({ id, type, fields }: AutomationRow) =>
  ({ id, type, fields: JSON.parse(fields) as unknown }) as Automation

function roundOf(means: Means, one: Automation): Round {
  switch (one.type) {
    case 'team_upload':
    case 'portal_upload':
      return watchFolder(means, one)
    case 'team_stream':
    case 'portal_stream':
      return streamFiles(means, one)
    case 'portal_download':
    case 'all_portals_download':
      return fetchPackages(means, one)
  }
}

/** What is left out is settled when it is created, so that it means the same ever after. */
function withDefaults<K extends Kind>(type: K, fields: FieldsOf<K>, now: Date): FieldsOf<K> {
  const fetches = type === 'portal_download' || type === 'all_portals_download'
  return { enabled: true, ...(fetches ? { effective_time: now.toISOString() } : {}), ...fields }
}

function stateOf(enabled: boolean, lastError: string, underWay: number) {
  if (!enabled) return 'disabled'
  if (lastError !== '') return 'error'
  return underWay > 0 ? 'running' : 'idle'
}
