import { lstat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { FolderListing, FromGateway, GatewayEntry, GatewayQuestion } from '@longshore/contract/gateway'
import { errorCode } from '#host/disk-faults'
import { enter, type Folder, openStanding } from '#host/folder'
import { createSortedNames } from './sorted-names.ts'

export type Answer = Extract<FromGateway, { type: 'answer' }>['answer']
type Reason = Extract<Answer, { kind: 'no' }>['reason']

/** Why there is nothing to be seen. */
class Nothing extends Error {
  readonly reason: Reason

  constructor(reason: Reason, cause?: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}

/**
 * Answers questions about what is below a root. Every step goes from a folder that is held open into the next, and none
 * through a link; nothing is ever made or opened but folders.
 */
export interface Look {
  readonly answer: (question: GatewayQuestion) => Promise<Answer>
  readonly close: () => void
}

export function createLook(root: string): Look {
  const sortedNames = createSortedNames()

  const list = async ({ path, after, count }: Extract<GatewayQuestion, { ask: 'list' }>): Promise<Answer> =>
    inFolder(root, componentsOf(path), async (folder) => {
      const names = await sortedNames.of(folder)
      return { kind: 'listing', listing: await pageOf(folder, names, after, count) }
    })

  const stat = async ({ path }: Extract<GatewayQuestion, { ask: 'stat' }>): Promise<Answer> => {
    const components = componentsOf(path)
    const name = components.at(-1)
    return inFolder(root, components.slice(0, -1), async (folder) => {
      const entry = await entryOf(folder, name ?? '.')
      if (entry === undefined) throw new Nothing('not_found')
      return { kind: 'entry', entry: name === undefined ? { ...entry, name: basename(root) } : entry }
    })
  }

  return {
    answer: async (question) => {
      try {
        return await (question.ask === 'list' ? list(question) : stat(question))
      } catch (error) {
        return {
          kind: 'no',
          reason: error instanceof Nothing ? error.reason : (reasons[errorCode(error) ?? ''] ?? 'failed'),
        }
      }
    },
    close: sortedNames.forget,
  }
}

const reasons: Readonly<Record<string, Reason>> = {
  ENOENT: 'not_found',
  ENAMETOOLONG: 'not_found',
  ELOOP: 'not_found',
  ENOTDIR: 'not_a_directory',
  EACCES: 'not_allowed',
  EPERM: 'not_allowed',
}

/** Names on this disk may be anything, except what would lead elsewhere. */
function componentsOf(path: string): readonly string[] {
  const components = path === '' ? [] : path.split('/')
  const isOdd = (name: string) =>
    name === '' ||
    name === '.' ||
    name === '..' ||
    name.includes('\0') ||
    (process.platform === 'win32' && /[\\:]/.test(name))
  if (components.some(isOdd)) throw new Nothing('not_found')
  return components
}

/** Goes from the root to a folder, holding one at a time. */
async function inFolder<Result>(
  root: string,
  components: readonly string[],
  work: (folder: Folder) => Promise<Result>,
): Promise<Result> {
  let folder = await openStanding(root)
  try {
    for (const name of components) {
      const inner = await enter(folder, name).catch(async (error: unknown) => {
        throw (await isLink(folder, name)) ? new Nothing('not_found', error) : error
      })
      await folder.close()
      folder = inner
    }
    return await work(folder)
  } finally {
    await folder.close()
  }
}

/** Only for the right word: nobody was let through. */
const isLink = (folder: Folder, name: string): Promise<boolean> =>
  lstat(folder.at(name)).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  )

// Asked for at once, so that a share that takes its time for each answer does not take it a thousand times.
const together = 64

/** Entries behind `after`. One that is gone since the names were read, or is something else by now, is left out. */
async function pageOf(folder: Folder, names: readonly string[], after: string, count: number): Promise<FolderListing> {
  const entries: GatewayEntry[] = []
  let at = after === '' ? 0 : firstBehind(names, after)
  while (entries.length < count && at < names.length) {
    const some = names.slice(at, at + Math.min(together, count - entries.length))
    at += some.length
    const found = await Promise.all(some.map((name) => entryOf(folder, name)))
    entries.push(...found.filter((entry) => entry !== undefined))
  }
  return { entries, next: at < names.length ? (names[at - 1] ?? '') : '' }
}

/** Names are sorted: halved again and again, a hundred thousand are seventeen steps. */
function firstBehind(names: readonly string[], after: string): number {
  let [low, high] = [0, names.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((names[middle] ?? '') <= after) low = middle + 1
    else high = middle
  }
  return low
}

async function entryOf(folder: Folder, name: string): Promise<GatewayEntry | undefined> {
  const stats = await lstat(folder.at(name)).catch(() => undefined)
  if (stats?.isDirectory() === true) return { kind: 'directory', name }
  if (stats?.isFile() !== true) return undefined
  const { size, mtime } = stats
  return { kind: 'file', name, size, ...(isSayable(mtime) ? { last_modified: mtime.toISOString() } : {}) }
}

/** Disks can hold years that have no place in ISO 8601 as others read it. */
const isSayable = (time: Date) => time.getUTCFullYear() >= 0 && time.getUTCFullYear() <= 9999
