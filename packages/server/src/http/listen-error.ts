import { type AddressInfo, createServer } from 'node:net'
import { ConfigError } from '../config/config-error.ts'
import type { ServerConfig } from '../config/server-config.ts'

type Address = Pick<ServerConfig, 'host' | 'port'>

/** Returns a ConfigError if a setting prevents the server from listening, and any other error unchanged. */
export const toListenError = (error: NodeJS.ErrnoException, { host, port }: Address): Error => {
  const problems: Readonly<Record<string, readonly [key: string, message: string]>> = {
    EADDRINUSE: [
      'port',
      `${port} is in use. Stop the process that listens there or choose another port; 0 takes a free one.`,
    ],
    EACCES: ['port', `${port} requires privileges. Choose a port above 1023.`],
    EADDRNOTAVAIL: ['host', `${host} is not an address of this machine.`],
    ENOTFOUND: ['host', `${host} is not an address and cannot be resolved.`],
  }
  const [key, message] = problems[error.code ?? ''] ?? []
  if (key === undefined || message === undefined) return error
  return new ConfigError([{ key, source: `--${key}`, message }])
}

/**
 * Returns a ConfigError if an inherited socket listens on another address than the settings name. From their address, the server
 * has decided what is safe, such as a control API without a token.
 */
export const toAddressError = (
  actual: AddressInfo | string | null,
  { host, port }: Address,
): ConfigError | undefined => {
  const format = (address: string, number: number): string =>
    `${address.includes(':') ? `[${address}]` : address}:${number}`
  const listening =
    actual === null || typeof actual === 'string' ? actual : format(actual.address, actual.port)
  const wanted = format(host, port)
  if (listening === wanted) return undefined
  const message = `are ${wanted}, but the socket that systemd passes listens on ${listening}. Set ListenStream=${wanted} in its unit.`
  return new ConfigError([{ key: 'host and port', source: 'settings', message }])
}

/**
 * Rejects if a server cannot listen on an address: with a ConfigError if a setting prevents it. Called before the database is
 * opened.
 */
export const checkAddress = ({ host, port }: Address): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) => reject(toListenError(error, { host, port })))
    server.listen({ host, port }, () => server.close(() => resolve()))
  })
