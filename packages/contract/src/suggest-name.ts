/** The number of insertions, deletions and replacements of characters that turn one text into the other. */
const countEdits = (left: string, right: string): number => {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (const [position, character] of [...left].entries()) {
    const next = [position + 1]
    for (const [index, other] of [...right].entries()) {
      const replaced = (row[index] ?? 0) + (character === other ? 0 : 1)
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row[right.length] ?? 0
}

const normalize = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/**
 * Completes a message about an unknown name: with a similar known name, or with all of them.
 *
 * @example
 * suggestName('timeout', ['timeoutMs', 'retry']) // 'Did you mean "timeoutMs"?'
 */
export const suggestName = (input: string, names: readonly string[]): string => {
  const [nearest] = names
    .map((name) => ({ name, edits: countEdits(normalize(input), normalize(name)) }))
    .sort((left, right) => left.edits - right.edits)
    .filter(({ name, edits }) => edits <= Math.max(2, name.length / 3))
  return nearest === undefined ? `Known names: ${names.join(', ')}.` : `Did you mean "${nearest.name}"?`
}
