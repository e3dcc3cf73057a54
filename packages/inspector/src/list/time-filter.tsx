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

/**
 * Filters by time. The address contains absolute times rather than "an hour ago", so that a link always shows the same
 * records.
 */
export const TimeFilter = ({ filter }: { readonly filter: Filter & { readonly kind: 'time' } }) => {
  const from = getParam(filter.from)
  const before = getParam(filter.before)
  const isSet = from !== '' || before !== ''
  const choose = (value: string): void => {
    if (value === '') setParams({ [filter.from]: undefined, [filter.before]: undefined })
    else if (value !== 'custom') {
      const since = new Date(Date.now() - Number(value)).toISOString()
      setParams({ [filter.from]: since, [filter.before]: undefined })
    }
  }
  return (
    <>
      <label class={`filter ${isSet ? 'set' : ''}`}>
        <span>{filter.label}</span>
        <select value={isSet ? 'custom' : ''} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          <option value="">any</option>
          {ranges.map(([label, ms]) => (
            <option key={ms} value={ms}>
              last {label}
            </option>
          ))}
          {isSet && <option value="custom">from … to …</option>}
        </select>
        <Icon name="down" />
      </label>
      {isSet && (
        <>
          <input
            class="moment"
            type="datetime-local"
            step="1"
            aria-label={`${filter.label} from`}
            value={toLocal(from)}
            onChange={({ currentTarget }) => setParams({ [filter.from]: fromLocal(currentTarget.value) })}
          />
          <input
            class="moment"
            type="datetime-local"
            step="1"
            aria-label={`${filter.label} before`}
            value={toLocal(before)}
            onChange={({ currentTarget }) => setParams({ [filter.before]: fromLocal(currentTarget.value) })}
          />
        </>
      )}
    </>
  )
}
