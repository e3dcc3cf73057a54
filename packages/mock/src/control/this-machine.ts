/** Returns whether a host is a usual name or address of this machine. Others may lead to it, too. */
export const isThisMachine = (host: string): boolean =>
  ['localhost', '127.0.0.1', '[::1]', '::1'].includes(host) || host.endsWith('.localhost')
