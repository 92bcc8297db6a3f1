import { packageStates } from '@longshore/contract/cloud/packages'
import { useQuery } from '@tanstack/react-query'
import { Search, SlidersHorizontal, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useText } from '#text/use-text.tsx'
import { portalsQuery } from '../portals/queries.ts'
import { tagsQuery } from '../tags/queries.ts'
import { useTeam } from '../frame/team.ts'
import type { Side } from './queries.ts'
import { defaultStates, type PackageSearch, type PackageState } from './search.ts'

interface PackageFiltersProps {
  readonly side: Side
  readonly search: PackageSearch
  readonly onChange: (change: Partial<Record<keyof PackageSearch, unknown>>) => void
}

const typingPause = 300

/** What narrows a list of packages down. */
export function PackageFilters({ side, search, onChange }: PackageFiltersProps) {
  const text = useText<'console'>()
  const team = useTeam()
  const { data: tags = [] } = useQuery(tagsQuery(team.id))
  const { data: portals } = useQuery({ ...portalsQuery(team.id, { limit: 50 }), enabled: side === 'received' })
  const states = search.status ?? defaultStates
  const toggle = (state: PackageState) =>
    onChange({ status: states.includes(state) ? states.filter((one) => one !== state) : [...states, state] })
  const [isOpen, setOpen] = useState(false)
  // On a phone all of them would push the list off the screen.
  const onDemand = isOpen ? '' : 'max-sm:hidden'
  const isNarrowed = Object.keys(search).some((key) => key !== 'page' && key !== 'sort')
  return (
    <div className="flex flex-col gap-3 border-b border-line p-4">
      <div className="flex flex-wrap gap-3">
        <Typed
          label={text('filter.name')}
          value={search.name ?? ''}
          onChange={(name) => onChange({ name })}
          className="min-w-40 flex-[2] sm:min-w-52"
        />
        <button
          type="button"
          className="button button-icon sm:hidden"
          aria-label={text('filter.more')}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <SlidersHorizontal size={18} aria-hidden />
        </button>
        <Typed
          label={text('filter.sender')}
          value={search.sender ?? ''}
          onChange={(sender) => onChange({ sender })}
          className={`min-w-44 flex-1 ${onDemand}`}
        />
        <select
          className={`input w-auto max-w-full min-w-36 flex-1 sm:max-w-56 ${onDemand}`}
          aria-label={text('filter.tag')}
          value={search.tag ?? ''}
          onChange={(event) => onChange({ tag: event.target.value })}
        >
          <option value="">{text('filter.anyTag')}</option>
          {tags.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        {side === 'received' && (
          <select
            className={`input w-auto max-w-full min-w-36 flex-1 sm:max-w-56 ${onDemand}`}
            aria-label={text('filter.portal')}
            value={search.portal ?? ''}
            onChange={(event) => onChange({ portal: event.target.value })}
          >
            <option value="">{text('filter.anyPortal')}</option>
            {portals?.records.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </div>
      <div className={`flex flex-wrap items-center gap-x-5 gap-y-2 text-sm ${isNarrowed ? '' : onDemand}`}>
        <fieldset className={`flex flex-wrap gap-x-4 gap-y-1 ${onDemand}`}>
          <legend className="sr-only">{text('package.status')}</legend>
          {packageStates.map((state) => (
            <label key={state} className="flex cursor-pointer items-center gap-1.5 py-1">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={states.includes(state)}
                onChange={() => toggle(state)}
              />
              {text(`state.${state}`)}
            </label>
          ))}
        </fieldset>
        <div className={`flex min-w-0 items-center gap-2 ${onDemand}`}>
          <input
            type="date"
            className="input min-h-0 w-auto min-w-0 px-2 py-1"
            aria-label={text('filter.from')}
            value={search.from ?? ''}
            onChange={(event) => onChange({ from: event.target.value })}
          />
          <span className="text-ink-soft">–</span>
          <input
            type="date"
            className="input min-h-0 w-auto min-w-0 px-2 py-1"
            aria-label={text('filter.to')}
            value={search.to ?? ''}
            onChange={(event) => onChange({ to: event.target.value })}
          />
        </div>
        {isNarrowed && (
          <button
            type="button"
            className="button button-quiet button-small"
            onClick={() => onChange({ name: '', sender: '', tag: '', portal: '', from: '', to: '', status: undefined })}
          >
            <X size={15} aria-hidden />
            {text('filter.clear')}
          </button>
        )}
      </div>
    </div>
  )
}

interface TypedProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly className: string
}

/** A search that waits until the typing stops. */
function Typed({ label, value, onChange, className }: TypedProps) {
  const [typed, setTyped] = useState(value)
  const asked = useRef(value)
  useEffect(() => {
    // What was asked for from here comes back while somebody types on, and must not take that away.
    if (value !== asked.current) setTyped(value)
    asked.current = value
  }, [value])
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => {
      asked.current = typed
      onChange(typed)
    }, typingPause)
    return () => clearTimeout(timer)
  }, [typed, value, onChange])
  return (
    <div className={`relative ${className}`}>
      <Search size={16} aria-hidden className="absolute top-1/2 left-3 -translate-y-1/2 text-ink-faint" />
      <input
        type="search"
        className="input pl-9"
        aria-label={label}
        placeholder={label}
        maxLength={200}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  )
}
