const toPair = (parameter: string, value: string): string =>
  `${encodeURIComponent(parameter)}=${encodeURIComponent(value)}`

const readName = (pair: string): string => {
  const [name = ''] = pair.split('=')
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

const changePairs = (url: string, change: (pairs: readonly string[]) => readonly string[]): string => {
  const changed = new URL(url)
  const pairs = changed.search.slice(1).split('&')
  changed.search = change(pairs.filter((pair) => pair !== '')).join('&')
  return changed.href
}

/** Adds a parameter to the query of a URL, unless the URL has it or there is no token. */
export const addParameter = (
  url: string,
  { parameter, token }: { readonly parameter: string; readonly token: string | undefined },
): string => {
  if (token === undefined) return url
  return changePairs(url, (pairs) =>
    pairs.some((pair) => readName(pair) === parameter) ? pairs : [...pairs, toPair(parameter, token)],
  )
}

type Change = {
  readonly parameter: string
  /** Returns another value, still encoded, or `undefined` to remove the parameter. */
  readonly change: (value: string) => string | undefined
}

/** Changes a parameter of a URL, and no other. Returns the same URL if it does not have the parameter. */
export const changeParameter = (url: string, { parameter, change }: Change): string => {
  const isFound = (pair: string): boolean => readName(pair) === parameter
  if (!new URL(url).search.slice(1).split('&').some(isFound)) return url
  return changePairs(url, (pairs) =>
    pairs.flatMap((pair) => {
      if (!isFound(pair)) return pair
      const at = pair.indexOf('=') + 1 || pair.length
      const value = change(pair.slice(at))
      return value === undefined ? [] : pair.slice(0, at) + value
    }),
  )
}
