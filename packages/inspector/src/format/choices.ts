export type Choice = { readonly value: string; readonly label: string }

export const toChoices = (
  values: readonly string[],
  toLabel: (value: string) => string = (value) => value,
): Choice[] => values.map((value) => ({ value, label: toLabel(value) }))
