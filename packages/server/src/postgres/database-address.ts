/**
 * A database's address as it may be shown: its URL without password and parameters. `undefined` when it cannot be told
 * what the password is: in a URL it ends at the first `/`, `?` or `#` that is not percent-encoded.
 */
export const readAddress = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined
  const { username, host, pathname, search, hash } = new URL(url)
  if (`${pathname}${search}${hash}`.includes('@')) return undefined
  return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`
}

/** The same, with a word for what cannot be shown. */
export const addressOf = (url: string): string => readAddress(url) ?? 'PostgreSQL'
