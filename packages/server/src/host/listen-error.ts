import { ConfigError } from '../config/config-error.ts'
import type { ServerConfig } from '../config/server-config.ts'

type Address = Pick<ServerConfig, 'host' | 'port'>

const problems: Readonly<Record<string, (address: Address) => { key: string; message: string }>> = {
  EADDRINUSE: ({ port }) => ({
    key: 'port',
    message: `${port} is in use. Stop what listens there, or choose another port; 0 takes a free one.`,
  }),
  EACCES: ({ port }) => ({ key: 'port', message: `${port} needs privileges. Choose one above 1023.` }),
  EADDRNOTAVAIL: ({ host }) => ({ key: 'host', message: `${host} is no address of this machine.` }),
  ENOTFOUND: ({ host }) => ({
    key: 'host',
    message: `${host} is no address, and no name that leads to one.`,
  }),
}

/** What to tell when a server cannot listen: a setting to change where one is at fault, else the error itself. */
export const listenError = (error: unknown, address: Address): unknown => {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return error
  const problem = problems[error.code]?.(address)
  return problem === undefined ? error : new ConfigError([{ ...problem, source: `--${problem.key}` }])
}
