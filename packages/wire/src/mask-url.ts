/** Replaces a value in a URL that is shown. */
export const urlMask = '***'

/**
 * Returns the name and `=` of a parameter that has a value. Otherwise, returns '': the part may be a secret without a name,
 * and base64 may end in `=`.
 */
const readName = (pair: string): string => /^[^=]*=(?==*[^=])/.exec(pair)?.[0] ?? ''

/**
 * Replaces the values of a query, and parts of it without a name, which may be secrets. Removes the fragment.
 *
 * @example
 * maskUrl('https://example.com/webhooks?token=secret') // 'https://example.com/webhooks?token=***'
 */
export const maskUrl = (url: string): string =>
  url.replace(/#.*$/s, '').replace(
    /\?(.+)$/s,
    (_, query: string) =>
      `?${query
        .split('&')
        .map((pair) => readName(pair) + urlMask)
        .join('&')}`,
  )

const decodeOnce = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Lists the parts of a query that {@link maskUrl} replaces, as they are, decoded, and decoded as in a form. */
export const listMasked = (url: string): string[] =>
  (/\?([^#]*)/.exec(url)?.[1] ?? '').split('&').flatMap((pair) => {
    const part = pair.slice(readName(pair).length)
    return [part, decodeOnce(part), decodeOnce(part.replaceAll('+', ' '))]
  })

/** Checks whether a URL contains the mask, as it is or percent-encoded. */
export const isMasked = (url: string): boolean => url.replace(/%2a/gi, '*').includes(urlMask)
