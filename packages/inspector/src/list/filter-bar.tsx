import { useSignal } from '@preact/signals'
import { Icon } from '../parts/icon.tsx'
import { getParam, setParams } from '../state/route.ts'
import type { Filter } from './list-definition.ts'
import { TimeFilter } from './time-filter.tsx'

const typingPauseMs = 200

let timer: ReturnType<typeof setTimeout> | undefined

/** Changes a filter when the reader stops typing. */
const changeSoon = (key: string, value: string): void => {
  clearTimeout(timer)
  timer = setTimeout(() => setParams({ [key]: value.trim() }), typingPauseMs)
}

const FilterField = ({ filter }: { readonly filter: Filter }) => {
  const { key, label, kind } = filter
  if (kind === 'time') return <TimeFilter />
  const value = getParam(key)
  if (kind === 'text') {
    return (
      <label class={`filter ${value === '' ? '' : 'set'}`}>
        <span>{label}</span>
        <input
          value={value}
          placeholder={filter.placeholder}
          spellcheck={false}
          onInput={({ currentTarget }) => changeSoon(key, currentTarget.value)}
        />
      </label>
    )
  }
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

type FilterBarProps = { readonly filters: readonly Filter[]; readonly searches: string | undefined }

/** The filters of a list. All of them are in the address of the page. */
export const FilterBar = ({ filters, searches }: FilterBarProps) => {
  const isOpen = useSignal(false)
  const keys = filters.flatMap(({ kind, key }) => (kind === 'time' ? ['from', 'before'] : [key]))
  const active = keys.filter((key) => getParam(key) !== '').length
  const clear = (): void => setParams(Object.fromEntries([...keys, 'text'].map((key) => [key, undefined])))
  return (
    <div class={`filters ${isOpen.value ? 'open' : ''}`} role="search">
      {searches !== undefined && (
        <label class="search">
          <Icon name="search" />
          <input
            type="search"
            id="search"
            aria-label={`Search ${searches}`}
            placeholder={`Search ${searches}`}
            value={getParam('text')}
            spellcheck={false}
            onInput={({ currentTarget }) => changeSoon('text', currentTarget.value)}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
      )}
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
      </div>
    </div>
  )
}
