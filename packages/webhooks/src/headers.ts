/** Request headers as a `Headers` object, a plain object in any case of names, or Node's (whose values may be arrays). */
export type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

const isHeaders = (source: HeaderSource): source is Headers => typeof source.get === 'function'

/**
 * The value of a header, repeated ones joined by a comma and a space as `Headers` does; `undefined` when it is absent
 * or empty.
 *
 * @param name - in lower case.
 */
export const readHeader = (source: HeaderSource, name: string): string | undefined => {
  if (isHeaders(source)) return source.get(name) || undefined
  const key = Object.hasOwn(source, name)
    ? name
    : Object.keys(source).find((each) => each.toLowerCase() === name)
  const value = key === undefined ? undefined : source[key]
  return (typeof value === 'object' ? value.join(', ') : value) || undefined
}
