import { useSignal } from '@preact/signals'
import { getMessage } from '../api/api-error.ts'
import { type Field, readFields } from '../format/schema-fields.ts'

const FieldInput = ({ field, initial }: { readonly field: Field; readonly initial: string }) => {
  const { name, kind, choices, isRequired } = field
  if (kind === 'choice' || kind === 'boolean') {
    return (
      <select id={`field-${name}`} name={name} required={isRequired}>
        {!isRequired && <option value="">default</option>}
        {(kind === 'boolean' ? ['true', 'false'] : choices).map((choice) => (
          <option key={choice} value={choice} selected={choice === initial}>
            {choice}
          </option>
        ))}
      </select>
    )
  }
  return (
    <input
      id={`field-${name}`}
      name={name}
      required={isRequired}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      defaultValue={initial}
      placeholder={kind === 'json' ? 'JSON' : isRequired ? '' : 'default'}
      spellcheck={false}
    />
  )
}

type SchemaFormProps = {
  readonly fields: readonly Field[]
  readonly initial?: Readonly<Record<string, string>>
  readonly submitLabel: string
  /** Performs the request. What it throws is shown in the form. */
  readonly onSubmit: (body: Record<string, unknown>) => Promise<void>
}

/** A form for a request, built from its schema. */
export const SchemaForm = ({ fields, initial = {}, submitLabel, onSubmit }: SchemaFormProps) => {
  const problem = useSignal('')
  const submit = async (form: HTMLFormElement): Promise<void> => {
    try {
      await onSubmit(readFields(fields, new FormData(form)))
    } catch (error) {
      problem.value = getMessage(error)
    }
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void submit(event.currentTarget)
      }}
    >
      <div class="columns">
        {fields.map((field) => (
          <label key={field.name} htmlFor={`field-${field.name}`}>
            <span>
              {field.name}
              {field.isRequired && <span class="quiet"> required</span>}
            </span>
            <FieldInput field={field} initial={initial[field.name] ?? ''} />
          </label>
        ))}
      </div>
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      <footer>
        <button type="submit" class="button primary">
          {submitLabel}
        </button>
      </footer>
    </form>
  )
}
