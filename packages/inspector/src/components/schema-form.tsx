import { useSignal } from '@preact/signals'
import type { Issue } from '@wabakit/wire'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { ApiError, getMessage } from '../api/api-error.ts'
import { type Field, readFields } from '../format/schema-fields.ts'
import { FieldInput } from './field-input.tsx'
import { Problem } from './status.tsx'

/** The names of the fields under a title. A name also stands for its parts, such as `summary.recap`. Other fields come last. */
export type FieldGroup = { readonly title: string; readonly fields: readonly string[] }

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
}

export const SchemaForm = ({ fields, groups, initial, children, submitLabel, onSubmit }: SchemaFormProps) => {
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
    >
      {titles
        .filter((title) => fields.some((field) => findTitle(field) === title))
        .map((title) => (
          <fieldset key={title}>
            <legend>{title}</legend>
            <div class="columns">
              {fields
                .filter((field) => findTitle(field) === title)
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
      {children}
      <Problem text={problem.value} />
      <footer>
        <button type="submit" class="button primary">
          {submitLabel}
        </button>
      </footer>
    </form>
  )
}
