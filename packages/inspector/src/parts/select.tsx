export type Choice = { readonly value: string; readonly label: string }

export const toChoices = (
  values: readonly string[],
  toLabel: (value: string) => string = (value) => value,
): Choice[] => values.map((value) => ({ value, label: toLabel(value) }))

export type SelectProps = {
  readonly value: string
  readonly choices: readonly Choice[]
  readonly onChange: (value: string) => void
  /** Set if no `<label>` element surrounds the list. */
  readonly label?: string
}

export const Select = ({ value, choices, onChange, label }: SelectProps) => (
  <select aria-label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
    {choices.map((choice) => (
      <option key={choice.value} value={choice.value}>
        {choice.label}
      </option>
    ))}
  </select>
)
