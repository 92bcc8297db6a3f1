import type { Journal } from './ports.ts'

interface Page<Note> {
  readonly notes: Note[]
  readonly written: Promise<void>
}

/** Appends notes; those that come while an append is under way go together in the next, since each costs a sync. */
export function createNotebook<Note>(journal: Journal<Note>): (...notes: readonly Note[]) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Page<Note> | undefined

  const turnOver = (): Page<Note> => {
    const notes: Note[] = []
    const written = last.then(() => {
      next = undefined
      return journal.append(notes)
    })
    last = written.catch(() => undefined)
    return { notes, written }
  }

  return (...notes) => {
    next ??= turnOver()
    next.notes.push(...notes)
    return next.written
  }
}
