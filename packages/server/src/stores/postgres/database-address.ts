/** Splits a database's URL into one URL per host: `postgres://a:1,b:2/x` has two. */
export const listAddresses = (url: string): string[] => {
  const [, start = '', hosts = '', end = ''] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  return start === '' ? [url] : hosts.split(',').map((host) => `${start}${host}${end}`)
}

/**
 * Returns a database's URL without password and parameters, or `undefined` if it cannot be parsed, or if its password
 * seems to contain a `/`, `?` or `#` that is not percent-encoded: the end of the password is then uncertain.
 */
export const readAddress = (url: string): string | undefined => {
  const addresses = listAddresses(url).map((address) => URL.parse(address))
  const [first] = addresses
  if (first == null || addresses.includes(null)) return undefined
  const { username, pathname, search, hash } = first
  if (`${pathname}${search}${hash}`.includes('@')) return undefined
  const hosts = addresses.map((address) => address?.host).join()
  return `postgres://${username === '' ? '' : `${username}@`}${hosts}${pathname}`
}

/** Returns the same as {@link readAddress}, or a general name for a URL that cannot be shown. */
export const formatAddress = (url: string): string => readAddress(url) ?? 'PostgreSQL'
