import { ChevronRight } from 'lucide-react'
import { useText } from '#text/use-text.tsx'

interface FolderCrumbsProps {
  readonly folder: string
  readonly onFolder: (folder: string) => void
}

/** The folders on the way to this one, each a way back. */
export function FolderCrumbs({ folder, onFolder }: FolderCrumbsProps) {
  const text = useText<'console'>()
  const names = folder === '' ? [] : folder.split('/')
  const crumbs = [
    { name: text('folder.top'), path: '' },
    ...names.map((name, index) => ({ name, path: names.slice(0, index + 1).join('/') })),
  ]
  return (
    <nav aria-label={text('folder.way')} className="min-w-0">
      <ol className="flex flex-wrap items-center gap-x-1.5 gap-y-1">
        {crumbs.map(({ name, path }, index) => (
          <li key={path} className="flex min-w-0 items-center gap-1.5">
            {index > 0 && <ChevronRight size={15} aria-hidden className="flex-none text-ink-faint" />}
            {index === crumbs.length - 1 ? (
              <bdi className="font-semibold wrap-anywhere" aria-current="location">
                {name}
              </bdi>
            ) : (
              <button
                type="button"
                className="cursor-pointer text-accent wrap-anywhere hover:underline"
                onClick={() => onFolder(path)}
              >
                <bdi>{name}</bdi>
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}
