/** Writes values without calling itself: a list of what is left takes the place of the stack. */
const writeDeep = (value: unknown): string => {
  let json = ''
  const left: ({ readonly text: string } | { readonly value: unknown })[] = [{ value }]
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    if ('text' in part) json += part.text
    else if (typeof part.value !== 'object' || part.value === null) json += JSON.stringify(part.value)
    else {
      const isArray = Array.isArray(part.value)
      const fields = Object.entries(part.value).filter(([, field]) => field !== undefined)
      json += isArray ? '[' : '{'
      left.push({ text: isArray ? ']' : '}' })
      for (const [index, [name, field]] of [...fields.entries()].reverse()) {
        const key = isArray ? '' : `${JSON.stringify(name)}:`
        left.push({ value: field }, { text: index === 0 ? key : `,${key}` })
      }
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
