/** Fewest insertions, deletions and replacements of characters that turn one text into the other. */
const editDistance = (left: string, right: string): number => {
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

/** The one of `names` that `given` most likely means; `undefined` when none is near. */
export const nearestName = (given: string, names: readonly string[]): string | undefined => {
  const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')
  const [best] = names
    .map((name) => ({ name, distance: editDistance(plain(given), plain(name)) }))
    .sort((a, b) => a.distance - b.distance)
  return best && best.distance <= Math.max(2, best.name.length / 3) ? best.name : undefined
}

/** Ends a sentence about an unknown name: what was probably meant, or everything there is. */
export const suggestName = (given: string, names: readonly string[]): string => {
  const nearest = nearestName(given, names)
  return nearest === undefined ? `There is ${names.join(', ')}.` : `Did you mean ${JSON.stringify(nearest)}?`
}
