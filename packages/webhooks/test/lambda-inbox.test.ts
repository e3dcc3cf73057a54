import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../server/test/temporary-folder.ts'
import { sharePostgres } from './postgres.ts'
import { summary } from './signed.ts'

it('the Lambda function with an inbox handles before it responds, and loses nothing if that fails', async () => {
  const postgres = await sharePostgres()
  onTestFinished(() => postgres.stop())
  const outfile = join(temporaryFolder(), 'inbox.cjs')
  // The command of the page.
  await build({
    entryPoints: [join(import.meta.dirname, '../../../examples/aws-lambda/inbox.ts')],
    outfile,
    ...{
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['pg-native'],
      conditions: ['@wabakit/source'],
    },
  })
  vi.stubEnv('DATABASE_URL', postgres.connectionString)
  vi.stubEnv('WEBHOOK_TOKEN', 'a-token-of-16-bytes')
  onTestFinished(() => void vi.unstubAllEnvs())
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
  const { handler, handleStored } = createRequire(import.meta.url)(outfile)
  const invoke = async (callId: string): Promise<number> => {
    const { statusCode } = await handler({
      version: '2.0',
      rawPath: '/webhooks',
      rawQueryString: 'token=a-token-of-16-bytes',
      headers: { 'content-type': 'application/json' },
      requestContext: { http: { method: 'POST', path: '/webhooks' } },
      body: JSON.stringify({ ...summary, callId }),
      isBase64Encoded: false,
    })
    return statusCode
  }

  expect(await invoke('call-1')).toBe(200)
  expect(log).toHaveBeenCalledWith('call-1', summary.summary.recap)

  const pool = postgres.pool()
  // Events can be stored, but not claimed.
  await pool.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''no claims''; END'`,
  )
  await pool.query(
    'CREATE TRIGGER refuse BEFORE UPDATE ON wabakit_inbox FOR EACH ROW EXECUTE FUNCTION refuse()',
  )
  expect(await invoke('call-2')).toBe(200)
  expect(error).toHaveBeenCalledWith('drain failed', expect.objectContaining({ message: 'no claims' }))
  expect(log).toHaveBeenCalledTimes(1)

  await pool.query('DROP TRIGGER refuse ON wabakit_inbox')
  expect(await handleStored()).toMatchObject({ handled: 1, remaining: 0 })
  expect(log).toHaveBeenLastCalledWith('call-2', summary.summary.recap)
})
