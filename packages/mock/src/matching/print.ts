import type { Difference } from './match.ts'

const longest = 160

/** How `expect.any(String)` and its like describe themselves. */
const nameOf = (value: object): string | undefined =>
  'toAsymmetricMatcher' in value && typeof value.toAsymmetricMatcher === 'function'
    ? String(value.toAsymmetricMatcher())
    : undefined

const toText = (value: unknown): string => {
  if (value === undefined) return 'nothing'
  if (value instanceof RegExp || typeof value === 'function') return String(value)
  const json = JSON.stringify(value, (_, inner: unknown) => {
    if (inner instanceof RegExp) return String(inner)
    return (typeof inner === 'object' && inner !== null && nameOf(inner)) || inner
  })
  return json ?? String(value)
}

/** A value on one line, cut when it is long. */
export const printValue = (value: unknown): string => {
  const text = toText(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** Differences, one to a line. */
export const printDifferences = (differences: readonly Difference[]): string =>
  differences
    .map(({ path, expected, actual }) => {
      const where = path === '' ? 'it' : path
      return `    ${where}: expected ${printValue(expected)}, got ${printValue(actual)}`
    })
    .join('\n')
