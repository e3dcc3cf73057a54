import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { ApiError, type FieldIssue, getMessage } from '../api/api-error.ts'
import { type Field, readFields } from '../format/schema-fields.ts'
import { Problem } from './status.tsx'

type FieldInputProps = {
  readonly field: Field
  readonly initial: string
  readonly problem: string | undefined
}

const Control = ({ field, initial, problem }: FieldInputProps) => {
  const { name, kind, choices, isRequired, description } = field
  const shared = {
    id: `field-${name}`,
    name,
    required: isRequired,
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    'aria-describedby': description === '' && problem === undefined ? undefined : `about-${name}`,
  }
  if (kind === 'choice' || kind === 'boolean') {
    return (
      <select {...shared}>
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
      {...shared}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      defaultValue={initial}
      placeholder={kind === 'json' ? 'JSON' : isRequired ? '' : 'default'}
      spellcheck={false}
    />
  )
}

const FieldInput = (props: FieldInputProps) => {
  const { field, problem } = props
  const { name, isRequired, description } = field
  return (
    <div>
      <label htmlFor={`field-${name}`}>
        <span>
          {name}
          {isRequired && <span class="quiet"> required</span>}
        </span>
      </label>
      <Control {...props} />
      <small id={`about-${name}`}>
        {problem !== undefined && <span class="wrong">{problem}. </span>}
        {description.replaceAll('`', '')}
      </small>
    </div>
  )
}

/** A group of fields under a title. Fields without a group come last. */
export type FieldGroup = { readonly title: string; readonly fields: readonly string[] }

type SchemaFormProps = {
  readonly fields: readonly Field[]
  readonly groups: readonly FieldGroup[]
  readonly initial: Readonly<Record<string, string>>
  readonly submitLabel: string
  /** Sends the request. If it rejects, the form shows each error next to its field. */
  readonly onSubmit: (body: Record<string, unknown>) => Promise<void>
}

export const SchemaForm = ({ fields, groups, initial, submitLabel, onSubmit }: SchemaFormProps) => {
  const problem = useSignal('')
  const issues = useSignal<readonly FieldIssue[]>([])
  const form = useRef<HTMLFormElement>(null)
  const findProblem = ({ name }: Field): string | undefined =>
    issues.value.find(({ path }) => path === name || path.startsWith(`${name}.`))?.message
  const submit = async (): Promise<void> => {
    if (form.current === null) return
    issues.value = []
    problem.value = ''
    try {
      await onSubmit(readFields(fields, new FormData(form.current)))
    } catch (error) {
      issues.value = error instanceof ApiError ? error.issues : []
      if (!fields.some(findProblem)) problem.value = getMessage(error)
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
    }
  }
  const grouped = new Set(groups.flatMap((group) => group.fields))
  const others = fields.filter(({ name }) => !grouped.has(name)).map(({ name }) => name)
  const shown = others.length === 0 ? groups : [...groups, { title: 'More', fields: others }]
  return (
    <form
      class="form"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {shown.map(({ title, fields: names }) => (
        <fieldset key={title}>
          <legend>{title}</legend>
          <div class="columns">
            {fields
              .filter(({ name }) => names.includes(name))
              .map((field) => (
                <FieldInput
                  key={field.name}
                  field={field}
                  initial={initial[field.name] ?? ''}
                  problem={findProblem(field)}
                />
              ))}
          </div>
        </fieldset>
      ))}
      <Problem text={problem.value} />
      <footer>
        <button type="submit" class="button primary">
          {submitLabel}
        </button>
      </footer>
    </form>
  )
}
