import { Icon } from '../parts/icon.tsx'
import { getParam, setParams } from '../state/route.ts'
import type { Filter } from './list-definition.ts'

const ranges = [
  ['15 minutes', 900_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
  ['7 days', 604_800_000],
] as const

const toLocal = (iso: string): string => {
  if (iso === '') return ''
  const time = new Date(iso)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

const fromLocal = (local: string): string => (local === '' ? '' : new Date(local).toISOString())

type MomentProps = { readonly name: string; readonly label: string; readonly word: 'from' | 'before' }

/** One end of a range. */
const Moment = ({ name, label, word }: MomentProps) => (
  <label class="filter">
    <span>{word}</span>
    <input
      type="datetime-local"
      step="1"
      aria-label={`${label} ${word}`}
      value={toLocal(getParam(name))}
      onChange={({ currentTarget }) => setParams({ [name]: fromLocal(currentTarget.value) })}
    />
  </label>
)

/**
 * Filters by time. The URL contains absolute times rather than "an hour ago", so that a link always shows the same
 * records.
 */
export const TimeFilter = ({ filter }: { readonly filter: Filter & { readonly kind: 'time' } }) => {
  const { label: title, from, before } = filter
  const isSet = getParam(from) !== '' || getParam(before) !== ''
  const choose = (value: string): void => {
    if (value === '') setParams({ [from]: undefined, [before]: undefined })
    else if (value !== 'custom') {
      const since = new Date(Date.now() - Number(value)).toISOString()
      setParams({ [from]: since, [before]: undefined })
    }
  }
  return (
    <>
      <label class={`filter ${isSet ? 'set' : ''}`}>
        <span>{title}</span>
        <select value={isSet ? 'custom' : ''} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          <option value="">any</option>
          {ranges.map(([label, ms]) => (
            <option key={ms} value={ms}>
              last {label}
            </option>
          ))}
          {isSet && <option value="custom">range</option>}
        </select>
        <Icon name="down" />
      </label>
      {isSet && (
        <span class="moments">
          <Moment name={from} label={title} word="from" />
          <Moment name={before} label={title} word="before" />
        </span>
      )}
    </>
  )
}
