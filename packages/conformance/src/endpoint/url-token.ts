/** The parameter of a URL that authenticates the sender. */
export type UrlToken = {
  readonly parameter: string
  /** The value as it is in the URL, percent-encoded. */
  readonly encoded: string
  /** The value, decoded once. */
  readonly decoded: string
}

/** Lists the parameters of a query, as they are. */
export const listPairs = ({ search }: URL): [name: string, value: string][] =>
  search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=')
      return [name, value.join('=')]
    })

/** Replaces the token in a query by these parts of a query. */
export const replaceToken = (url: URL, { parameter }: UrlToken, parts: readonly string[]): string => {
  const others = listPairs(url).filter(([name]) => name !== parameter)
  const all = [...others.map(([name, value]) => `${name}=${value}`), ...parts]
  return all.length === 0 ? '' : `?${all.join('&')}`
}

export const encodeAll = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

export const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Finds the token of a URL: the parameter `token`, or the longest one. */
export const findUrlToken = (url: URL): UrlToken | undefined => {
  const [longest] = listPairs(url).toSorted(([, left], [, right]) => right.length - left.length)
  const [parameter, encoded] = listPairs(url).find(([name]) => name === 'token') ?? longest ?? []
  return parameter === undefined || !encoded ? undefined : { parameter, encoded, decoded: decode(encoded) }
}
