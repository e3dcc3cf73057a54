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

/** Returns the name that `input` most likely means; `undefined` if none is similar. */
export const findNearestName = (input: string, names: readonly string[]): string | undefined => {
  const [best] = names
    .map((name) => ({ name, edits: countEdits(normalize(input), normalize(name)) }))
    .sort((a, b) => a.edits - b.edits)
  return best && best.edits <= Math.max(2, best.name.length / 3) ? best.name : undefined
}

/** Completes a message about an unknown name: with a similar name, or with all names. */
export const suggestName = (input: string, names: readonly string[]): string => {
  const nearest = findNearestName(input, names)
  return nearest === undefined
    ? `Known names: ${names.join(', ')}.`
    : `Did you mean ${JSON.stringify(nearest)}?`
}
