/** Replaces a value in a URL that is shown. */
export const urlMask = '***'

/** Base64 without a name may end in `=`, too, so a name without a value is masked. */
const maskPair = (pair: string): string => (/^[^=]*=(?==*[^=])/.exec(pair)?.[0] ?? '') + urlMask

/**
 * Replaces the values of a query, and parts of it without a name, which may be secrets. Removes the fragment.
 *
 * @example
 * maskUrl('https://example.com/webhooks?token=secret') // 'https://example.com/webhooks?token=***'
 */
export const maskUrl = (url: string): string =>
  url
    .replace(/#.*$/s, '')
    .replace(/\?(.+)$/s, (_, query: string) => `?${query.split('&').map(maskPair).join('&')}`)

/** Checks whether a URL contains the mask, as it is or percent-encoded. */
export const isMasked = (url: string): boolean => url.replace(/%2a/gi, '*').includes(urlMask)
