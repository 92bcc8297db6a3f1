import { FilePlus, FolderPlus, UploadCloud } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useText } from '#text/use-text.tsx'

export interface DropZoneProps {
  readonly title: string
  readonly hint?: ReactNode
  /** Smaller, once there is something in the list. */
  readonly compact?: boolean
  readonly dropped: (data: DataTransfer) => void
  readonly chosen: (files: readonly File[]) => void
  /** Opens a better dialog than an input has; false where there is none. */
  readonly pick: (what: 'files' | 'folder') => boolean
}

/** Takes files and folders: dropped anywhere on the page, or chosen by its buttons. */
export function DropZone({ title, hint, compact = false, dropped, chosen, pick }: DropZoneProps) {
  const text = useText()
  const over = useDropAnywhere(dropped)
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const open = (what: 'files' | 'folder') => {
    if (!pick(what)) (what === 'files' ? files : folder).current?.click()
  }
  const take = (input: HTMLInputElement) => {
    const files = [...(input.files ?? [])]
    // Else the same files, taken out of the list and chosen again, would be no change.
    input.value = ''
    if (files.length > 0) chosen(files)
  }
  return (
    <div className={`drop-zone ${compact ? 'drop-zone-compact' : ''} ${over ? 'drop-zone-over' : ''}`}>
      {!compact && <UploadCloud size={36} strokeWidth={1.25} aria-hidden />}
      <div className="min-w-0">
        <p className="font-semibold">{title}</p>
        {hint !== undefined && <p className="text-sm text-ink-soft">{hint}</p>}
      </div>
      <div className={`flex flex-wrap gap-2 ${compact ? '' : 'justify-center'}`}>
        <button type="button" className="button" onClick={() => open('files')}>
          <FilePlus size={18} aria-hidden />
          {text('ui.chooseFiles')}
        </button>
        <button type="button" className="button" onClick={() => open('folder')}>
          <FolderPlus size={18} aria-hidden />
          {text('ui.chooseFolder')}
        </button>
      </div>
      <input ref={files} type="file" multiple hidden data-files onChange={({ target }) => take(target)} />
      <input ref={folder} type="file" webkitdirectory="" hidden data-folder onChange={({ target }) => take(target)} />
    </div>
  )
}

declare module 'react' {
  interface InputHTMLAttributes<T> {
    webkitdirectory?: string
  }
}

/** A drop beside the zone would make the browser open the file and leave the page. */
function useDropAnywhere(dropped: (data: DataTransfer) => void): boolean {
  const [over, setOver] = useState(false)
  const drop = useEffectEvent(dropped)
  useEffect(() => {
    let depth = 0
    const isFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true
    const enter = (event: DragEvent) => {
      if (isFiles(event)) setOver(++depth > 0)
    }
    const leave = (event: DragEvent) => {
      if (isFiles(event)) setOver(--depth > 0)
    }
    const hover = (event: DragEvent) => {
      if (isFiles(event)) event.preventDefault()
    }
    const end = (event: DragEvent) => {
      if (!isFiles(event) || event.dataTransfer === null) return
      event.preventDefault()
      depth = 0
      setOver(false)
      drop(event.dataTransfer)
    }
    const listeners = { dragenter: enter, dragleave: leave, dragover: hover, drop: end }
    for (const [kind, listener] of Object.entries(listeners)) addEventListener(kind as 'drop', listener)
    return () => {
      for (const [kind, listener] of Object.entries(listeners)) removeEventListener(kind as 'drop', listener)
    }
  }, [])
  return over
}
