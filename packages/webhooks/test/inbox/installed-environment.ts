import { resolve } from 'node:path'
import { type Inbox, sqlInbox } from '@wabakit/webhooks'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import { requireProgram } from '../../../server/test/programs.ts'
import { findPackaged, startInstalledPostgres } from '../installed-postgres.ts'
import { claimCostCases } from './claim-cost-cases.ts'
import type { Context, Environment } from './environment.ts'
import { inboxCases } from './inbox-cases.ts'

export const createEnvironment = (pool: Pool): Environment => ({
  inbox: (options) => sqlInbox(pool, options) as unknown as Inbox<Context>,
  write: async ({ transaction }, effect) =>
    (await transaction()).query(`INSERT INTO effects VALUES ('${effect}')`),
  query: async (text) => (await pool.query(text)).rows,
})

/** Starts a PostgreSQL of these programs for the tests of a `describe`. */
export const useInstalled = (programs: string, settings?: readonly string[]) => {
  let server: Awaited<ReturnType<typeof startInstalledPostgres>>
  let shared: Environment
  beforeAll(async () => {
    server = await startInstalledPostgres(programs, settings)
    const pool = server.pool()
    await pool.query('CREATE TABLE effects (effect text)')
    shared = createEnvironment(pool)
  })
  afterAll(() => server?.stop())
  return { server: () => server, shared: () => shared }
}

/** What an inbox does with the PostgreSQL of a package from npm. */
export const versionCases = (folder: string): void => {
  const programs = findPackaged(resolve(folder))
  describe.skipIf(!requireProgram(folder, programs !== undefined))(folder, () => {
    const { server, shared } = useInstalled(programs ?? '')
    inboxCases(folder, shared)
    claimCostCases(folder, server)
  })
}
