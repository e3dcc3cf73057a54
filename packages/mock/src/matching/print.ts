import { type Difference, isRegExp } from './find-differences.ts'

const maxLength = 160

/** Returns the name of a matcher such as `expect.any(String)`. */
const getMatcherName = (value: object): string | undefined =>
  'toAsymmetricMatcher' in value && typeof value.toAsymmetricMatcher === 'function'
    ? String(value.toAsymmetricMatcher())
    : undefined

const toText = (value: unknown): string => {
  if (value === undefined) return 'nothing'
  if (isRegExp(value) || typeof value === 'function') return String(value)
  const json = JSON.stringify(value, (_, inner: unknown) => {
    if (isRegExp(inner)) return String(inner)
    return (typeof inner === 'object' && inner !== null && getMatcherName(inner)) || inner
  })
  return json ?? String(value)
}

/** Prints a value as JSON or source code, cut after 160 characters. */
export const printValue = (value: unknown): string => {
  const text = toText(value)
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

export const printDifferences = (differences: readonly Difference[]): string =>
  differences
    .map(({ path, expected, actual }) => {
      const where = path === '' ? 'it' : path
      return `    ${where}: expected ${printValue(expected)}, got ${printValue(actual)}`
    })
    .join('\n')
