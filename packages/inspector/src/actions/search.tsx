import { useSignal } from '@preact/signals'
import type { SearchHit } from '@wabakit/server/control-types'
import { useEffect, useRef } from 'preact/hooks'
import { getMessage } from '../api/api-error.ts'
import { organizationId, sendOwn } from '../api/organization.ts'
import { reveal, showNumber, showText } from '../format/mask.ts'
import { Dialog, type DialogControl, openDialog } from '../parts/dialog.tsx'
import { LoadProblem } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { navigate, type View } from '../state/route.ts'

const views: Readonly<Record<SearchHit['kind'], View>> = {
  call: 'calls',
  group: 'groups',
  customer: 'customers',
  event: 'events',
  delivery: 'deliveries',
  subscription: 'subscriptions',
  api_key: 'api-keys',
  api_request: 'requests',
}

const typingPauseMs = 150

const showLabel = ({ kind, label }: SearchHit): string =>
  kind === 'group' ? showText(label) : reveal(label.replace(/\+\d{6,}/g, showNumber))

/** Searches while the user types. Ignores the results of an earlier text. */
const useSearch = (text: string) => {
  const hits = useSignal<readonly SearchHit[] | undefined>(undefined)
  const problem = useSignal('')
  useEffect(() => {
    hits.value = undefined
    problem.value = ''
    if (text === '') return
    let isCurrent = true
    const search = async (): Promise<void> => {
      try {
        const { items } = await sendOwn<{ items: SearchHit[] }>(['search'], { query: { text } })
        if (isCurrent) hits.value = items
      } catch (error) {
        if (isCurrent) problem.value = getMessage(error)
      }
    }
    const timer = setTimeout(search, typingPauseMs)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [text, organizationId.value])
  return { hits: hits.value, problem: problem.value }
}

const Search = ({ onClose }: DialogControl) => {
  const text = useSignal('')
  const reached = useSignal(0)
  const list = useRef<HTMLDivElement>(null)
  const { hits, problem } = useSearch(text.value.trim())
  const count = hits?.length ?? 0
  const open = (hit: SearchHit | undefined): void => {
    if (hit === undefined) return
    onClose()
    navigate(views[hit.kind], { id: hit.id })
  }
  const press = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 'Enter') open(hits?.[reached.value])
    else if (by !== 0 && count > 0) reached.value = (reached.value + by + count) % count
    else return
    event.preventDefault()
    requestAnimationFrame(() =>
      list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
    )
  }
  const state =
    text.value.trim() === ''
      ? ''
      : hits === undefined
        ? 'Searching…'
        : count === 0
          ? 'Nothing found.'
          : `${count} found`
  return (
    <Dialog title="Find anything" onClose={onClose}>
      <input
        class="find"
        role="combobox"
        aria-label="Find anything"
        aria-controls="hits"
        aria-expanded={count > 0}
        aria-activedescendant={count > 0 ? `hit-${reached.value}` : undefined}
        placeholder="An id, a number, a group or any text"
        spellcheck={false}
        autocomplete="off"
        autofocus
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
          reached.value = 0
        }}
        onKeyDown={press}
      />
      <LoadProblem text={problem} />
      <p class="quiet" role="status">
        {state}
      </p>
      <div class="hits" id="hits" role="listbox" aria-label="Results" ref={list}>
        {hits?.map((hit, index) => (
          <div
            key={`${hit.kind} ${hit.id}`}
            id={`hit-${index}`}
            role="option"
            aria-selected={index === reached.value}
            onClick={() => open(hit)}
          >
            <span class="quiet">{hit.kind.replace('_', ' ')}</span>
            <span class="name" dir="auto">
              {showLabel(hit)}
            </span>
            {hit.at !== null && <Time at={hit.at} />}
            {hit.label !== hit.id && <span class="id">{reveal(hit.id)}</span>}
          </div>
        ))}
      </div>
    </Dialog>
  )
}

/** Opens the search dialog, which finds any record by an id, a number or a text. */
export const openSearch = (): void => openDialog((close) => <Search onClose={close} />)
