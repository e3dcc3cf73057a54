/**
 * Returns a database's URL without password and parameters. Returns `undefined` if the end of the password is uncertain: in
 * a URL it ends at the first `/`, `?` or `#` that is not percent-encoded.
 */
export const readAddress = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined
  const { username, host, pathname, search, hash } = new URL(url)
  if (`${pathname}${search}${hash}`.includes('@')) return undefined
  return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`
}

/** Like {@link readAddress}, with a general name for a URL that cannot be shown. */
export const formatAddress = (url: string): string => readAddress(url) ?? 'PostgreSQL'
