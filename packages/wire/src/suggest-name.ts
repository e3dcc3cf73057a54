const normalize = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Counts the letters that only one of two strings contains. */
const countDifferences = (left: string, right: string): number => {
  let rest = right
  for (const letter of left) rest = rest.replace(letter, '')
  return left.length - right.length + 2 * rest.length
}

/**
 * Completes a message about an unknown name with a similar known name or, if there is none, with all known names.
 *
 * @example
 * suggestName('timeout', ['timeoutMs', 'retry']) // 'Did you mean "timeoutMs"?'
 */
export const suggestName = (input: string, names: readonly string[]): string => {
  let nearest: string | undefined
  let fewest = Number.POSITIVE_INFINITY
  for (const name of names) {
    const differences = countDifferences(normalize(input), normalize(name))
    if (differences >= fewest || differences > Math.max(2, name.length / 3)) continue
    nearest = name
    fewest = differences
  }
  return nearest === undefined ? `Known names: ${names.join(', ')}.` : `Did you mean "${nearest}"?`
}
