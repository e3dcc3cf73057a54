/** A database's address as it may be shown: its URL without password and parameters. */
export const addressOf = (url: string): string => {
  if (!URL.canParse(url)) return 'PostgreSQL'
  const { username, host, pathname } = new URL(url)
  return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`
}
