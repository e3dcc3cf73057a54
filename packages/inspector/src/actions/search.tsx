import { computed, signal, useSignal } from '@preact/signals'
import type { SearchHit } from '@wabakit/server/control-types'
import { useEffect, useRef } from 'preact/hooks'
import { getMessage } from '../api/api-error.ts'
import { organizationId, sendOwn } from '../api/organization.ts'
import { offered } from '../api/send.ts'
import { Dialog, type DialogControl, openDialog } from '../components/dialog.tsx'
import { LoadProblem } from '../components/status.tsx'
import { Time } from '../components/time.tsx'
import { reveal, showNumber, showText } from '../format/mask.ts'
import { isTrace, navigate, titles, type View } from '../state/route.ts'
import { isTokenRequired } from '../state/session.ts'
import { switchMasking } from '../state/settings.ts'
import { openSimulation } from './simulate.tsx'
import { addSubscription } from './subscription-form.tsx'

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

/** The records that were opened from here, the last one first. */
const recent = signal<readonly SearchHit[]>([])
const maxRecent = 5

export const forgetRecent = (): void => {
  recent.value = []
}

// Recent items belong to one organization. The next person who logs in must not see them.
computed(() => [organizationId.value, isTokenRequired.value]).subscribe(forgetRecent)

/** A line of the dialog: a command or a record. */
type Entry = {
  readonly key: string
  readonly kind: string
  readonly label: string
  readonly hit?: SearchHit
  readonly run: () => void
}

const toEntry = (hit: SearchHit): Entry => ({
  key: `${hit.kind} ${hit.id}`,
  kind: hit.kind.replace('_', ' '),
  label: showLabel(hit),
  hit,
  run: () => {
    recent.value = [hit, ...recent.value.filter(({ id }) => id !== hit.id)].slice(0, maxRecent)
    navigate(views[hit.kind], { id: hit.id })
  },
})

/** What the second line of a hit says: what the page of a customer has or, for other records, the id. */
const describeHit = ({ kind, id, label }: SearchHit) => {
  if (kind === 'customer') return <span class="about">calls with their summaries, groups, deliveries</span>
  return label !== id && <span class="about id">{reveal(id)}</span>
}

const listCommands = (): Entry[] => [
  ...offered.value.map((name) => ({
    key: name,
    kind: 'view',
    label: titles[name],
    run: () => navigate(name),
  })),
  ...(isTrace
    ? []
    : [
        { key: 'simulate', kind: 'action', label: 'Simulate', run: openSimulation },
        { key: 'subscribe', kind: 'action', label: 'Subscribe an endpoint', run: addSubscription },
      ]),
  { key: 'mask', kind: 'action', label: 'Mask personal data', run: switchMasking },
]

const Search = ({ onClose }: DialogControl) => {
  const text = useSignal('')
  const reached = useSignal(0)
  /** Set if the user pressed Enter before there was a result. */
  const isHasty = useSignal(false)
  const list = useRef<HTMLDivElement>(null)
  const { hits, problem } = useSearch(text.value.trim())
  const sought = text.value.trim().toLowerCase()
  const entries = [
    ...(sought === '' ? recent.value.map(toEntry) : []),
    ...listCommands().filter(({ label }) => label.toLowerCase().includes(sought)),
    ...(hits ?? []).map(toEntry),
  ]
  const count = entries.length
  const open = (entry: Entry | undefined): void => {
    if (entry === undefined) return
    onClose()
    entry.run()
  }
  useEffect(() => {
    if (isHasty.value) open(entries[0])
  }, [hits])
  const press = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 'Enter') {
      isHasty.value = count === 0
      open(entries[reached.value])
    } else if (by !== 0 && count > 0) reached.value = (reached.value + by + count) % count
    else return
    event.preventDefault()
    requestAnimationFrame(() =>
      list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
    )
  }
  const state =
    sought === ''
      ? ''
      : hits === undefined
        ? 'Searching…'
        : hits.length === 0
          ? 'No record found.'
          : `${hits.length} found`
  return (
    <Dialog title="Find anything" kind="palette" onClose={onClose}>
      <input
        class="find"
        role="combobox"
        aria-label="Find anything"
        aria-controls="hits"
        aria-expanded={count > 0}
        aria-activedescendant={count > 0 ? `hit-${reached.value}` : undefined}
        placeholder="A phone number, an id, an address, a status or any text"
        spellcheck={false}
        autocomplete="off"
        autofocus
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
          reached.value = 0
          isHasty.value = false
        }}
        onKeyDown={press}
      />
      <LoadProblem text={problem} />
      <p class="quiet" role="status">
        {state}
      </p>
      <div class="hits" id="hits" role="listbox" aria-label="Results" ref={list}>
        {entries.map((entry, index) => (
          <div
            key={entry.key}
            id={`hit-${index}`}
            class="selectable"
            role="option"
            aria-selected={index === reached.value}
            onClick={() => open(entry)}
          >
            <span class="quiet">{entry.kind}</span>
            <span class="name" dir="auto">
              {entry.label}
            </span>
            {entry.hit && entry.hit.at !== null && <Time at={entry.hit.at} />}
            {entry.hit && describeHit(entry.hit)}
          </div>
        ))}
      </div>
    </Dialog>
  )
}

export const openSearch = (): void => openDialog((close) => <Search onClose={close} />)
