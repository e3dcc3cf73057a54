import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Checks whether a host from a setting or a URL is this machine: `localhost`, `127.0.0.1` or `[::1]`, for example. */
export const isLoopbackHost = (host: string): boolean => {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (isIP(bare) === 0) return bare === 'localhost' || bare.endsWith('.localhost')
  return ipaddr.process(bare).range() === 'loopback'
}
