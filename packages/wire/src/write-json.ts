/** Writes values without calling itself: a list of what is left takes the place of the stack. */
const writeDeep = (value: unknown): string => {
  let json = ''
  /** Finished text, and values to write. A value is wrapped in an array, to tell it from text. */
  const left: (string | readonly [unknown])[] = [[value]]
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    const item = part[0]
    if (typeof part === 'string') json += part
    else if (typeof item !== 'object' || item === null) json += JSON.stringify(item)
    else {
      const isArray = Array.isArray(item)
      let text = isArray ? '[' : '{'
      const parts: typeof left = []
      for (const [name, field] of Object.entries(item)) {
        if (field === undefined) continue
        parts.push(text + (isArray ? '' : `${JSON.stringify(name)}:`), [field])
        text = ','
      }
      left.push((text === ',' ? '' : text) + (isArray ? ']' : '}'))
      for (const each of parts.reverse()) left.push(each)
    }
  }
  return json
}

/**
 * Serializes a value that came from JSON. `JSON.parse` reads any number of brackets inside each other, but `JSON.stringify`
 * throws at some thousands: where, depends on the runtime and on the names of the fields.
 */
export const writeJson = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch (error) {
    // A cycle, which JSON does not have. What else is thrown differs: RangeError, or InternalError in Firefox.
    if (error instanceof TypeError) throw error
    return writeDeep(value)
  }
}
