import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../components/icon.tsx'
import { Moment } from '../components/moment.tsx'
import { Select, type SelectProps } from '../components/select.tsx'
import { nameChoice } from '../format/choices.ts'
import { getNow } from '../state/now.ts'
import { getParam, setParams } from '../state/route.ts'
import { type Filter, listParams } from './list-definition.ts'

const ChoiceFilter = ({ label, value, choices, onChange }: Required<SelectProps>) => (
  <label class={`filter ${value === '' ? '' : 'set'}`}>
    <span>{label}</span>
    <Select value={value} choices={[{ value: '', label: 'any' }, ...choices]} onChange={onChange} />
    <Icon name="down" />
  </label>
)

const ranges = [
  { value: '900000', label: 'last 15 minutes' },
  { value: '3600000', label: 'last hour' },
  { value: '86400000', label: 'last day' },
  { value: '604800000', label: 'last 7 days' },
]

/** A filter for times. The URL contains absolute times, so that a link shows the same period whenever it is opened. */
const TimeFilter = ({ filter }: { readonly filter: Filter & { readonly kind: 'time' } }) => {
  const { label, from, before } = filter
  const isSet = getParam(from) !== '' || getParam(before) !== ''
  const choose = (value: string): void => {
    if (value === 'custom') return
    const since = value === '' ? '' : new Date(getNow() - Number(value)).toISOString()
    setParams({ [from]: since, [before]: '' }, { isStep: true })
  }
  return (
    <>
      <ChoiceFilter
        label={label}
        value={isSet ? 'custom' : ''}
        choices={isSet ? [...ranges, { value: 'custom', label: 'range' }] : ranges}
        onChange={choose}
      />
      {isSet && (
        <span class="moments">
          <Moment name={from} label={label} word="from" />
          <Moment name={before} label={label} word="before" />
        </span>
      )}
    </>
  )
}

const typingPauseMs = 200

/**
 * Creates the properties of a text field for a filter. The filter changes when the user stops typing or
 * leaves the field. Until it loses focus, it shows the typed text, including trailing spaces.
 */
const useTyped = (key: string) => {
  const typed = useSignal<string | undefined>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** Set once a pause has applied what was typed. The browser's Back undoes all that was typed until the field was left. */
  const isApplied = useRef(false)
  const apply = (): void => {
    if (timer.current === undefined) return
    clearTimeout(timer.current)
    timer.current = undefined
    setParams({ [key]: typed.value?.trim() }, { isStep: !isApplied.current })
    isApplied.current = true
  }
  return {
    value: typed.value ?? getParam(key),
    spellcheck: false,
    onInput: ({ currentTarget: { value } }: { readonly currentTarget: HTMLInputElement }): void => {
      typed.value = value
      clearTimeout(timer.current)
      timer.current = setTimeout(apply, typingPauseMs)
    },
    onBlur: (): void => {
      apply()
      isApplied.current = false
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
    <ChoiceFilter
      label={label}
      value={value}
      choices={isListed ? choices : [{ value, label: nameChoice(choices, value) }, ...choices]}
      onChange={(chosen) => setParams({ [key]: chosen }, { isStep: true })}
    />
  )
}

type FilterBarProps = {
  readonly filters: readonly Filter[]
  readonly searches: string | undefined
  readonly onClear: () => void
  readonly children: ComponentChildren
}

/** Number of filters that are among the fields from the start. The others are added once they are chosen or set. */
const inView = 4

const isSet = (filter: Filter): boolean => listParams(filter).some((key) => getParam(key) !== '')

/** The filters of a list. The page's URL contains their values. */
export const FilterBar = ({ filters, searches, onClear, children }: FilterBarProps) => {
  const isOpen = useSignal(false)
  const added = useSignal<readonly string[]>([])
  const bar = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const last = bar.current?.querySelector<HTMLElement>(`[data-filter="${added.value.at(-1)}"]`)
    last?.querySelector<HTMLElement>('input, select')?.focus()
  }, [added.value])
  const active = filters.filter(isSet)
  if (filters.length === 0 && searches === undefined) return null
  const shown = filters.filter(
    (filter, index) => index < inView || isSet(filter) || added.value.includes(filter.key),
  )
  const others = filters.filter((filter) => !shown.includes(filter))
  return (
    <div class={`filters ${isOpen.value ? 'open' : ''}`} role="search" ref={bar}>
      {searches !== undefined && <Search searches={searches} />}
      {filters.length > 0 && (
        <button
          type="button"
          class="button toggle truncated"
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          Filters{active.length > 0 && `: ${active.map(({ label }) => label).join(', ')}`}
        </button>
      )}
      <div class="fields">
        {shown.map((filter) => (
          <div key={filter.key} data-filter={filter.key}>
            <FilterField filter={filter} />
          </div>
        ))}
        {others.length > 0 && (
          <span class="filter add">
            <Icon name="add" />
            <Select
              label="Add a filter"
              value=""
              choices={[
                { value: '', label: 'Filter' },
                ...others.map(({ key, label }) => ({ value: key, label })),
              ]}
              onChange={(key) => (added.value = [...added.value, key])}
            />
          </span>
        )}
        {active.length > 0 && (
          <button type="button" class="link" onClick={onClear}>
            Clear
          </button>
        )}
      </div>
      {children}
    </div>
  )
}
