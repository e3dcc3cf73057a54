import { onTestFinished } from 'vitest'
import type { OptionCase } from '../../../../tools/option-cases.ts'
import { type RunningServer, type ServerConfig, startServer } from '../../src/index.ts'

export type Settings = ServerConfig

/** The observable effect of one setting on a running server. */
export type SettingCase = OptionCase<Settings>

/** Starts a server with the defaults of all other settings. */
export const startExactly = async (settings: Partial<Settings>): Promise<RunningServer> => {
  const server = await startServer({ logLevel: 'silent', ...settings })
  onTestFinished(server.close)
  return server
}
