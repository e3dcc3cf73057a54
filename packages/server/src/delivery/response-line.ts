/** Maximum number of characters. */
const maxLength = 200

/** Returns the beginning of the first line of a response's body that says something; `null` if there is none. */
export const getResponseLine = (body: string | null | undefined): string | null =>
  body
    ?.trim()
    .split(/[\r\n]/, 1)[0]
    ?.slice(0, maxLength) || null
