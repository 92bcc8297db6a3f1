import { FileText, Folder } from 'lucide-react'
import { useFormat, useText } from '#text/use-text.tsx'
import { isInChosen, keyOf } from './chosen.ts'
import type { Entry } from './queries.ts'

/** Which entries are chosen, by their keys. */
export interface Choice {
  readonly chosen: ReadonlySet<string>
  readonly onTurn: (key: string) => void
}

interface FolderTableProps {
  readonly entries: readonly Entry[]
  readonly onFolder: (folder: string) => void
  readonly choice: Choice | undefined
}

export function FolderTable({ entries, onFolder, choice }: FolderTableProps) {
  const text = useText<'console'>()
  const format = useFormat()
  return (
    <div className="table-frame">
      <table className="table" aria-label={text('files.title')}>
        <thead>
          <tr>
            {choice !== undefined && (
              <th scope="col">
                <span className="sr-only">{text('folder.choose')}</span>
              </th>
            )}
            <th scope="col">{text('package.name')}</th>
            <th scope="col" className="end">
              {text('package.size')}
            </th>
            <th scope="col" className="max-sm:hidden">
              {text('folder.changed')}
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={`${entry.kind} ${entry.path}`}>
              {choice !== undefined && (
                <td className="w-0">{!isNameless(entry) && <Tick entry={entry} choice={choice} />}</td>
              )}
              <td>
                <EntryName entry={entry} onFolder={onFolder} />
              </td>
              <td className="numeric end whitespace-nowrap text-ink-soft">
                {entry.kind === 'file' && format.bytes(entry.size ?? 0)}
              </td>
              <td className="text-sm whitespace-nowrap text-ink-soft max-sm:hidden">
                {entry.last_modified !== undefined && format.dateTime(entry.last_modified)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

// Two slashes in a row, or one at the start, in the key of an object. No package can have such a folder.
const isNameless = ({ name }: Entry): boolean => name === ''

function Tick({ entry, choice: { chosen, onTurn } }: { readonly entry: Entry; readonly choice: Choice }) {
  const text = useText<'console'>()
  const key = keyOf(entry)
  const isAlong = isInChosen(chosen, key)
  return (
    <input
      type="checkbox"
      className="tick"
      aria-label={text('folder.chooseOne', { name: entry.name })}
      checked={isAlong || chosen.has(key)}
      disabled={isAlong}
      onChange={() => onTurn(key)}
    />
  )
}

function EntryName({ entry, onFolder }: { readonly entry: Entry; readonly onFolder: (folder: string) => void }) {
  const text = useText<'console'>()
  if (entry.kind === 'file') {
    return (
      <span className="flex min-w-0 items-center gap-2">
        <FileText size={17} aria-hidden className="flex-none text-ink-faint" />
        <bdi className="wrap-anywhere">{entry.name}</bdi>
      </span>
    )
  }
  if (isNameless(entry)) {
    return (
      <span className="flex min-w-0 items-center gap-2 text-ink-soft">
        <Folder size={17} aria-hidden className="flex-none text-ink-faint" />
        {text('folder.nameless')}
      </span>
    )
  }
  return (
    <button
      type="button"
      className="flex min-w-0 cursor-pointer items-center gap-2 text-start font-medium hover:underline"
      onClick={() => onFolder(entry.path)}
    >
      <Folder size={17} aria-hidden className="flex-none text-accent" />
      <bdi className="wrap-anywhere">{entry.name}</bdi>
    </button>
  )
}
