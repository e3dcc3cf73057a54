import type { Field } from '../format/schema-fields.ts'

type FieldInputProps = {
  readonly field: Field
  readonly initial: string
  readonly problem: string | undefined
}

const toId = (name: string): string => `field-${name}`

/** Checkboxes. The initial values are separated by commas. */
const Several = ({ field: { name, choices = [] }, initial }: FieldInputProps) => (
  <div class="several">
    {choices.map(({ value, label }) => (
      <label key={value}>
        <input
          type="checkbox"
          name={name}
          value={value}
          defaultChecked={initial.split(',').includes(value)}
        />
        {label}
      </label>
    ))}
  </div>
)

const booleans = [
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
]

const inputModes: Partial<Record<Field['kind'], 'decimal' | 'url'>> = { number: 'decimal', url: 'url' }

const Control = ({ field, initial, problem }: FieldInputProps) => {
  const { name, kind, choices = [], isRequired = false, description, empty = 'default' } = field
  const shared = {
    id: toId(name),
    name,
    required: isRequired,
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    'aria-describedby': description === '' && problem === undefined ? undefined : `about-${name}`,
  }
  if (kind === 'choice' || kind === 'boolean') {
    return (
      <select {...shared}>
        {!isRequired && <option value="">{empty}</option>}
        {(kind === 'boolean' ? booleans : choices).map(({ value, label }) => (
          <option key={value} value={value} selected={value === initial}>
            {label}
          </option>
        ))}
      </select>
    )
  }
  if (kind === 'lines') {
    return <textarea {...shared} rows={3} dir="auto" defaultValue={initial} placeholder="one per line" />
  }
  const text = {
    ...shared,
    defaultValue: initial,
    placeholder: isRequired ? '' : empty,
    spellcheck: false,
    autocomplete: 'off',
  }
  if (kind === 'secret') return <input {...text} type="password" />
  if (choices.length === 0) return <input {...text} inputMode={inputModes[kind] ?? 'text'} />
  const list = `${toId(name)}-list`
  return (
    <>
      <input {...text} list={list} />
      <datalist id={list}>
        {choices.map(({ value, label }) => (
          <option key={value} value={value} label={label} />
        ))}
      </datalist>
    </>
  )
}

export const FieldInput = (props: FieldInputProps) => {
  const { field, problem } = props
  const { name, label = name, isRequired, description, kind } = field
  const title = (
    <span>
      {label}
      {isRequired && <span class="quiet"> required</span>}
    </span>
  )
  const about = (
    <small id={`about-${name}`}>
      {problem !== undefined && <span class="wrong">{problem}. </span>}
      {description.replaceAll('`', '')}
    </small>
  )
  return (
    <div class={['several', 'lines', 'url'].includes(kind) ? 'labelled whole' : 'labelled'}>
      {kind === 'several' ? (
        <fieldset id={toId(name)}>
          <legend>{title}</legend>
          {/* Before the boxes: it says what happens if none is checked. */}
          {about}
          <Several {...props} />
        </fieldset>
      ) : (
        <>
          <label htmlFor={toId(name)}>{title}</label>
          <Control {...props} />
          {about}
        </>
      )}
    </div>
  )
}
