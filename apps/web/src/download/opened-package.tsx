import { Archive, FolderDown } from 'lucide-react'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { type Contents, marks } from '#browser/contents.ts'
import { openDownload } from '#browser/download.ts'
import { useFormat, useText } from '#text/use-text.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { faultSentence, Refusal } from '#ui/plain/refusal.tsx'
import { Spinner } from '#ui/plain/spinner.tsx'
import { addressOf, type OpenedLink } from './link.ts'
import { SavingPanel } from './saving-panel.tsx'
import { Tree } from './tree.tsx'
import { Waybill } from './waybill.tsx'

/** What was sent, and every way to have it. */
export function OpenedPackage({ link }: { readonly link: OpenedLink }) {
  const text = useText<'download'>()
  const format = useFormat()
  const [download] = useState(openDownload)
  const view = useSyncExternalStore(download.subscribe, download.view)
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const [error, setError] = useState<unknown>()
  useEffect(() => download.open({ id: link.package_id, token: link.package_token }), [download, link])

  const { contents, archives, saving } = view
  const healthy = useMemo(() => (contents === undefined ? [] : healthyRows(contents)), [contents])
  const infected = contents === undefined ? 0 : link.total_files - healthy.length

  const fetchFile = async (id: string) => {
    setError(undefined)
    try {
      location.assign(await addressOf(link, id))
    } catch (refused) {
      setError(refused)
    }
  }

  const saveInto = async (rows: readonly number[]) => {
    setError(undefined)
    // Rejected where no folder was picked.
    const folder = await window.showDirectoryPicker?.({ mode: 'readwrite', id: 'longshore' }).catch(() => undefined)
    if (folder !== undefined) download.save(folder, rows)
  }

  const fetchSome = async (rows: readonly number[]) => {
    if (rows.length > 1 && window.showDirectoryPicker !== undefined) {
      await saveInto(rows)
      return
    }
    for (const [index, row] of rows.entries()) {
      // A navigation that comes too soon ends the one before it.
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, 1_500))
      await fetchFile(contents?.ids[row] ?? '')
    }
  }

  return (
    <>
      <section className="card flex flex-col gap-4 p-5 sm:p-7">
        <div className="flex flex-col gap-1">
          <p className="text-ink-soft">{text('download.from', { sender: link.sender_email })}</p>
          <h1 className="break-words">{link.name}</h1>
          <p className="numeric text-ink-soft">
            {text('download.total', {
              count: link.total_files,
              number: format.number(link.total_files),
              size: format.bytes(link.package_size),
            })}
            {hasEnd(link.expiry) && (
              <>
                {' · '}
                <span title={format.dateTime(link.expiry)}>
                  {text('download.until', { when: format.relative(link.expiry), date: format.date(link.expiry) })}
                </span>
              </>
            )}
          </p>
        </div>
        {link.description !== '' && (
          <blockquote className="whitespace-pre-line border-l-2 border-signal pl-4 [overflow-wrap:anywhere]">
            {link.description}
          </blockquote>
        )}
        <All
          archives={archives}
          fetchFile={fetchFile}
          saveInto={
            // None before the list is here.
            healthy.length === 0 || window.showDirectoryPicker === undefined ? undefined : () => void saveInto(healthy)
          }
        />
        {infected > 0 && (
          <Notice kind="danger">
            <p>{text('download.infected', { count: infected })}</p>
          </Notice>
        )}
        <Refusal error={error} />
        {view.refused !== undefined && <Notice kind="danger">{faultSentence(text, view.refused)}</Notice>}
        {saving !== undefined && contents !== undefined && (
          <SavingPanel saving={saving} contents={contents} pause={download.pause} goOn={download.goOn} />
        )}
      </section>

      {contents === undefined ? (
        view.refused === undefined && (
          <div className="grid place-items-center p-10">
            <Spinner size={28} />
          </div>
        )
      ) : (
        <Tree
          contents={contents}
          selected={selected}
          select={setSelected}
          fetchFile={(row) => void fetchFile(contents.ids[row] as string)}
          fetchSelected={() => void fetchSome([...selected].sort((a, b) => a - b))}
        />
      )}
      {contents !== undefined && <Waybill link={link} contents={contents} />}
    </>
  )
}

const hasEnd = (expiry: string) => Number(expiry.slice(0, 4)) > 1

/** Rows of files that may be fetched. */
function healthyRows({ isFolder, marks: marked }: Contents): number[] {
  const rows: number[] = []
  for (let row = 0; row < isFolder.length; row++) {
    if (isFolder[row] === 0 && ((marked[row] as number) & marks.infected) === 0) rows.push(row)
  }
  return rows
}

interface AllProps {
  readonly archives: readonly { readonly kind: 'zip_windows' | 'zip_mac'; readonly id: string }[]
  readonly fetchFile: (id: string) => Promise<void>
  readonly saveInto: (() => void) | undefined
}

/** Everything at once. The archive has names that the recipient's system takes. */
function All({ archives, fetchFile, saveInto }: AllProps) {
  const text = useText<'download'>()
  const wanted = /Windows/i.test(navigator.userAgent) ? 'zip_windows' : 'zip_mac'
  const own = archives.find(({ kind }) => kind === wanted) ?? archives[0]
  const other = archives.find((one) => one !== own)
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="flex w-full flex-wrap gap-2">
        {own !== undefined && (
          <button
            type="button"
            className="button button-primary button-large max-sm:w-full"
            onClick={() => void fetchFile(own.id)}
          >
            <Archive size={18} aria-hidden />
            {text('download.all')}
          </button>
        )}
        {saveInto !== undefined && (
          <button type="button" className="button button-large max-sm:w-full" onClick={saveInto}>
            <FolderDown size={18} aria-hidden />
            {text('download.folder')}
          </button>
        )}
      </div>
      {other !== undefined && (
        <button
          type="button"
          className="cursor-pointer text-sm text-ink-soft underline underline-offset-3"
          onClick={() => void fetchFile(other.id)}
        >
          {text(other.kind === 'zip_windows' ? 'download.zipWindows' : 'download.zipMac')}
        </button>
      )}
    </div>
  )
}
