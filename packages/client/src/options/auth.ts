/**
 * How requests carry the API key: in a header, optionally after a scheme, or through a function that sets the headers
 * itself. The function may be async. It runs for every attempt, so that keys can rotate.
 *
 * @example
 * auth: { header: 'x-public-api-key' }
 * auth: { header: 'Authorization', scheme: 'Bearer' }
 * auth: async (headers) => headers.set('Authorization', await readCurrentKey())
 */
export type Auth =
  | {
      /** Name of the header. */
      readonly header: string
      /** Scheme before the key, separated by a space. @default none: the raw key */
      readonly scheme?: string | undefined
    }
  | ((headers: Headers, apiKey: string | undefined) => void | Promise<void>)

/** Adds the key to the headers of one attempt. */
export type ApplyAuth = (headers: Headers) => void | Promise<void>

export const createApplyAuth = (auth: Auth, apiKey: string | undefined): ApplyAuth => {
  if (typeof auth === 'function') return (headers) => auth(headers, apiKey)
  const value = auth.scheme === undefined ? `${apiKey}` : `${auth.scheme} ${apiKey}`
  return (headers) => headers.set(auth.header, value)
}
