import { getParam, setParams } from '../state/route.ts'

const toLocal = (iso: string): string => {
  if (iso === '') return ''
  const time = new Date(iso)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

const fromLocal = (local: string): string => (local === '' ? '' : new Date(local).toISOString())

type MomentProps = { readonly name: string; readonly label: string; readonly word: 'from' | 'before' }

/** A field for a time in the browser's time zone, which a parameter of the page's URL contains. */
export const Moment = ({ name, label, word }: MomentProps) => (
  <label class="filter">
    <span>{word}</span>
    <input
      type="datetime-local"
      step="1"
      aria-label={`${label} ${word}`}
      value={toLocal(getParam(name))}
      onChange={({ currentTarget }) =>
        setParams({ [name]: fromLocal(currentTarget.value) }, { isStep: true })
      }
    />
  </label>
)
