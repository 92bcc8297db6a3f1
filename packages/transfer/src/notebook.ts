import type { Journal, Outlives } from './ports.ts'

interface Page<Note> {
  readonly notes: Note[]
  readonly written: Promise<void>
  outlives: Outlives
}

export interface Notebook<Note> {
  /** Resolves once they would survive a crash of the machine. */
  readonly note: (...notes: readonly Note[]) => Promise<void>
  /** Resolves once they would survive the end of this program, which is much cheaper. */
  readonly jot: (...notes: readonly Note[]) => Promise<void>
}

/** Appends notes; those that come while an append is under way go together in the next, since each costs a sync. */
export function createNotebook<Note>(journal: Journal<Note>): Notebook<Note> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Page<Note> | undefined

  const turnOver = (): Page<Note> => {
    const notes: Note[] = []
    const page: Page<Note> = {
      notes,
      outlives: 'program',
      written: last.then(() => {
        next = undefined
        return journal.append(notes, page.outlives)
      }),
    }
    last = page.written.catch(() => undefined)
    return page
  }

  const write = (notes: readonly Note[]): Page<Note> => {
    next ??= turnOver()
    next.notes.push(...notes)
    return next
  }

  return {
    note: (...notes) => {
      const page = write(notes)
      page.outlives = 'machine'
      return page.written
    },
    jot: (...notes) => write(notes).written,
  }
}
