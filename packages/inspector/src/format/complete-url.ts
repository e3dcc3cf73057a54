const scheme = /^(?:https?:|[a-z][a-z\d+.-]*:\/\/)/i
const loopback = /^(?:localhost|127\.[\d.]+|\[::1\])(?=[:/?]|$)/i

/** Adds the scheme that a typed URL lacks: http for a loopback address, which has no certificate, otherwise https. */
export const completeUrl = (typed: string): string => {
  const url = typed.trim()
  if (url === '' || scheme.test(url)) return url
  return `${loopback.test(url) ? 'http' : 'https'}://${url}`
}
