/** Returns whether a host name or address always means this machine. Other names may resolve to it, too. */
export const isThisMachine = (host: string): boolean =>
  ['localhost', '127.0.0.1', '[::1]', '::1'].includes(host) || host.endsWith('.localhost')
