export type Choice = { readonly value: string; readonly label: string }

export const toChoices = (
  values: readonly string[],
  toLabel: (value: string) => string = (value) => value,
): Choice[] => values.map((value) => ({ value, label: toLabel(value) }))

/** Returns the label of a value. A value that is not among the choices, such as `400,401` in a link, is named as it is. */
export const nameChoice = (choices: readonly Choice[], value: string): string =>
  choices.find((choice) => choice.value === value)?.label ?? value.replaceAll(',', ' or ')
