import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Icon } from '../parts/icon.tsx'
import { getParam, setParams } from '../state/route.ts'
import { type Filter, listParams } from './list-definition.ts'
import { TimeFilter } from './time-filter.tsx'

const typingPauseMs = 200

let timer: ReturnType<typeof setTimeout> | undefined

/** Changes a filter when the user stops typing. */
const changeSoon = (key: string, value: string): void => {
  clearTimeout(timer)
  timer = setTimeout(() => setParams({ [key]: value.trim() }), typingPauseMs)
}

/**
 * Returns the properties of a filter's field. While the user types, the field keeps the typed text, including trailing
 * spaces.
 */
const useTyped = (key: string) => {
  const typed = useSignal<string | undefined>(undefined)
  return {
    value: typed.value ?? getParam(key),
    spellcheck: false,
    onInput: ({ currentTarget: { value } }: { readonly currentTarget: HTMLInputElement }): void => {
      typed.value = value
      changeSoon(key, value)
    },
    onBlur: (): void => {
      typed.value = undefined
    },
  }
}

const TextFilter = ({ filter }: { readonly filter: Filter & { readonly kind: 'text' } }) => {
  const field = useTyped(filter.key)
  return (
    <label class={`filter ${field.value === '' ? '' : 'set'}`}>
      <span>{filter.label}</span>
      <input {...field} placeholder={filter.placeholder} />
    </label>
  )
}

const Search = ({ searches }: { readonly searches: string }) => (
  <label class="search">
    <Icon name="search" />
    <input
      {...useTyped('text')}
      type="search"
      id="search"
      aria-label={`Search ${searches}`}
      placeholder={`Search ${searches}`}
    />
    <kbd aria-hidden="true">/</kbd>
  </label>
)

const FilterField = ({ filter }: { readonly filter: Filter }) => {
  if (filter.kind === 'time') return <TimeFilter filter={filter} />
  if (filter.kind === 'text') return <TextFilter filter={filter} />
  const { key, label } = filter
  const value = getParam(key)
  const choices = filter.choices()
  const isListed = value === '' || choices.some((choice) => choice.value === value)
  return (
    <label class={`filter ${value === '' ? '' : 'set'}`}>
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => setParams({ [key]: currentTarget.value })}>
        <option value="">any</option>
        {!isListed && <option value={value}>{value}</option>}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </label>
  )
}

type FilterBarProps = {
  readonly filters: readonly Filter[]
  readonly searches: string | undefined
  readonly children: ComponentChildren
}

/** The filters of a list, all of which are in the page's URL. */
export const FilterBar = ({ filters, searches, children }: FilterBarProps) => {
  const isOpen = useSignal(false)
  const keys = filters.flatMap(listParams)
  const active = keys.filter((key) => getParam(key) !== '').length
  const clear = (): void => setParams(Object.fromEntries([...keys, 'text'].map((key) => [key, undefined])))
  if (filters.length === 0 && searches === undefined) return null
  return (
    <div class={`filters ${isOpen.value ? 'open' : ''}`} role="search">
      {searches !== undefined && <Search searches={searches} />}
      {filters.length > 0 && (
        <button
          type="button"
          class="button toggle"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value
          }}
        >
          Filters{active > 0 && ` (${active})`}
        </button>
      )}
      <div class="fields">
        {filters.map((filter) => (
          <FilterField key={filter.key} filter={filter} />
        ))}
        {active > 0 && (
          <button type="button" class="link" onClick={clear}>
            Clear
          </button>
        )}
        {children}
      </div>
    </div>
  )
}
