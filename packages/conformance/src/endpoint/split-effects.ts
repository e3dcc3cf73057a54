const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the objects and arrays that a text contains one after the other, as they are written, or `undefined` if it contains
 * anything but these and their separators.
 */
const splitJson = (text: string, separator: RegExp): string[] | undefined => {
  const values: string[] = []
  let depth = 0
  let start = 0
  let end = 0
  for (const { 0: found, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g)) {
    if (depth === 0) {
      const between = text.slice(end, index)
      if (!separator.test(between) || found.startsWith('"')) return undefined
      start = index
    }
    if (found === '[' || found === '{') depth += 1
    if (found !== ']' && found !== '}') continue
    depth -= 1
    if (depth > 0) continue
    end = index + 1
    const value = text.slice(start, end)
    if (!isJson(value)) return undefined
    values.push(value)
  }
  return depth === 0 && text.slice(end).trim() === '' ? values : undefined
}

/** Splits an array of objects or arrays into these. An array that contains other values is one effect. */
const splitArray = (value: string): string[] => {
  const items = value.startsWith('[') ? splitJson(value.slice(1, -1), /^\s*,?\s*$/) : undefined
  return items === undefined || items.length === 0 ? [value] : items.flatMap(splitArray)
}

/**
 * Splits what `--effects` printed into effects: the elements of JSON arrays, JSON documents that may each take several lines, or
 * else its lines. Values keep the notation in which they are written, because large numbers would change in JavaScript.
 */
export const splitEffects = (text: string): string[] => {
  const values = splitJson(text, /^\s*$/)
  if (values === undefined || values.length === 0) return text.split('\n')
  // Within a JSON document, a line break only separates.
  return values.flatMap(splitArray).map((value) => value.replace(/\s*\n\s*/g, ' '))
}
