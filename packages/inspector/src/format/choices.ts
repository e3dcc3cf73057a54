export type Choice = { readonly value: string; readonly label: string }

export const toChoices = (
  values: readonly string[],
  toLabel: (value: string) => string = (value) => value,
): Choice[] => values.map((value) => ({ value, label: toLabel(value) }))

/** Returns the label of a value. A link may contain several values: `400,401,403` is "400, 401 or 403". */
export const nameChoice = (choices: readonly Choice[], value: string): string =>
  choices.find((choice) => choice.value === value)?.label ??
  value.replace(/,(?=[^,]*$)/, ' or ').replaceAll(',', ', ')
