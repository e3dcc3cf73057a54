import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Tells whether a host, as it is configured or as a URL has it, is this machine itself: `localhost`, `127.0.0.1`, `[::1]`. */
export const isLoopbackHost = (host: string): boolean => {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (isIP(bare) === 0) return bare === 'localhost' || bare.endsWith('.localhost')
  return ipaddr.process(bare).range() === 'loopback'
}
