type ChoiceProps<Value extends string> = {
  readonly label: string
  readonly value: Value
  readonly choices: readonly { readonly value: Value; readonly label: string; readonly title: string }[]
  readonly onChange: (value: Value) => void
}

export const Choice = <Value extends string>({ label, value, choices, onChange }: ChoiceProps<Value>) => (
  <div class="choice" role="group" aria-label={label}>
    {choices.map((choice) => (
      <button
        key={choice.value}
        type="button"
        title={choice.title}
        aria-pressed={choice.value === value}
        onClick={() => onChange(choice.value)}
      >
        {choice.label}
      </button>
    ))}
  </div>
)
