/**
 * How the key is carried: a header and, before the key, a scheme; or a function that sets headers itself. The
 * function may be async and is called for every attempt, so keys can rotate.
 *
 * @example
 * auth: { header: 'x-public-api-key' }
 * auth: { header: 'Authorization', scheme: 'Bearer' }
 * auth: async (headers) => headers.set('Authorization', await currentKey())
 */
export type Auth =
  | {
      /** Name of the header. */
      readonly header: string
      /** Written before the key, with a space between. @default none: the raw key */
      readonly scheme?: string | undefined
    }
  | ((headers: Headers, apiKey: string | undefined) => void | Promise<void>)

/** Puts the key on the headers of one attempt. */
export type ApplyAuth = (headers: Headers) => void | Promise<void>

/** Turns the `auth` option into what is done for every attempt. */
export const applyAuthOf = (auth: Auth, apiKey: string | undefined): ApplyAuth => {
  if (typeof auth === 'function') return (headers) => auth(headers, apiKey)
  const value = auth.scheme === undefined ? `${apiKey}` : `${auth.scheme} ${apiKey}`
  return (headers) => headers.set(auth.header, value)
}
