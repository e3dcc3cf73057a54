import { useSignal } from '@preact/signals'
import type { Issue } from '@wabakit/wire'
import { type ComponentChildren, Fragment } from 'preact'
import { useRef } from 'preact/hooks'
import { ApiError, getMessage } from '../api/api-error.ts'
import { type Field, readFields } from '../format/schema-fields.ts'
import { Button } from './button.tsx'
import { FieldInput } from './field-input.tsx'
import { Problem } from './status.tsx'

/** The names of the fields under a title. A name also stands for its parts, such as `summary.recap`. Other fields come last. */
export type FieldGroup = {
  readonly title: string
  readonly fields: readonly string[]
  /** Set if the fields are in view only once the user opens the group, or one of them has an error. */
  readonly isFolded?: boolean
}

/** The title of the fields without a group. */
const others = 'More'

type SchemaFormProps = {
  readonly fields: readonly Field[]
  readonly groups: readonly FieldGroup[]
  readonly initial: Readonly<Record<string, string>>
  /** A note for the user, between the fields and the button. */
  readonly children?: ComponentChildren
  readonly submitLabel: string
  /** Sends the request. If it rejects, the form shows each error next to its field. */
  readonly onSubmit: (body: Record<string, unknown>) => Promise<void>
  /** Called with the values of the form when the user changes one. */
  readonly onChange?: (values: FormData) => void
  readonly onCancel: () => void
  /** Remarks below fields, by the names of these. */
  readonly remarks?: Readonly<Record<string, ComponentChildren>>
}

export const SchemaForm = (props: SchemaFormProps) => {
  const { fields, groups, initial, children, submitLabel, onSubmit, onChange, onCancel, remarks = {} } = props
  const problem = useSignal('')
  const issues = useSignal<readonly Issue[]>([])
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
  const findTitle = ({ name }: Field): string =>
    groups.find((group) => group.fields.includes(name.split('.')[0] ?? ''))?.title ?? others
  const titles = [...groups.map(({ title }) => title), others]
  return (
    <form
      class="form"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
      onInput={({ currentTarget }) => onChange?.(new FormData(currentTarget))}
    >
      {titles.map((title) => {
        const own = fields.filter((field) => findTitle(field) === title)
        if (own.length === 0) return null
        const isFolded = groups.some((group) => group.title === title && group.isFolded)
        const inputs = (
          <div class="columns">
            {own.map((field) => (
              <Fragment key={field.name}>
                <FieldInput field={field} initial={initial[field.name] ?? ''} problem={findProblem(field)} />
                {remarks[field.name]}
              </Fragment>
            ))}
          </div>
        )
        return isFolded ? (
          <details key={title} open={own.some(findProblem) || undefined}>
            <summary>{title}</summary>
            {inputs}
          </details>
        ) : (
          <fieldset key={title}>
            <legend>{title}</legend>
            {inputs}
          </fieldset>
        )
      })}
      {children}
      <Problem text={problem.value} />
      <footer>
        <Button onClick={onCancel}>Cancel</Button>
        <button type="submit" class="button primary">
          {submitLabel}
        </button>
      </footer>
    </form>
  )
}
