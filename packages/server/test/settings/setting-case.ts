import { onTestFinished } from 'vitest'
import { type RunningServer, type ServerConfig, startServer } from '../../src/index.ts'

export type Settings = ServerConfig

/** The observable effect of one setting on a running server. */
export type SettingCase = {
  /**
   * Starts a server with these settings, and returns what its users see, or a function that is polled for it. Whether
   * the setting has its default or another value, nothing else differs.
   */
  readonly see: (settings: Partial<Settings>) => Promise<unknown>
  /** The expected observations: with the default, and with at least one other value. */
  readonly cases: readonly [
    byDefault: readonly [Partial<Settings>, unknown],
    ...changed: (readonly [Partial<Settings>, unknown])[],
  ]
}

/** Starts a server with the defaults of all other settings. */
export const startExactly = async (settings: Partial<Settings>): Promise<RunningServer> => {
  const server = await startServer({ logLevel: 'silent', ...settings })
  onTestFinished(server.close)
  return server
}
