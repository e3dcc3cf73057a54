import type { Choice } from '../format/choices.ts'

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
