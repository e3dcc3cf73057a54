import { sqlDedupe, sqlDedupeTable } from '@wabakit/webhooks'
import { describe, expect, it, vi } from 'vitest'
import { isMatrix, requireProgram } from '../../../server/test/programs.ts'
import { claim } from '../dedupe-cases.ts'
import { distribution } from '../installed-postgres.ts'
import { claimCostCases } from './claim-cost-cases.ts'
import { receive, toEnd, toRequest } from './environment.ts'
import { inboxCases } from './inbox-cases.ts'
import { createEnvironment, useInstalled, versionCases } from './installed-environment.ts'

// PostgreSQL 18 is tested by inbox-postgres.test.ts, and those between by inbox-postgres-versions.matrix.test.ts.
versionCases('node_modules/postgres14')

// The only one here that can compile statements (JIT), as those that people install can.
describe.skipIf(!requireProgram('the PostgreSQL of the distribution', distribution !== undefined))(
  'PostgreSQL of the distribution',
  () => {
    const { server, shared } = useInstalled(distribution ?? '', [
      'shared_preload_libraries=auto_explain',
      // With so few entries, a claim costs 640, and no other statement costs more than 370. The default is 100,000.
      'jit_above_cost=500',
    ])
    // It is between versions 14 and 18, and the compiler changes no result.
    if (isMatrix) inboxCases('PostgreSQL of the distribution', shared)
    claimCostCases('PostgreSQL of the distribution', server)

    it('compiles no statement, with many entries and without statistics', async () => {
      await shared().query('ALTER ROLE CURRENT_USER SET auto_explain.log_min_duration = 0')
      await shared().query('ALTER ROLE CURRENT_USER SET auto_explain.log_analyze = on')
      const { receiver, inbox, table } = receive(createEnvironment(server().pool()))
      receiver.onAny(() => {})
      await receiver.handle(toRequest(toEnd('a'), 'a'))
      // Without statistics, and with more rows than the planner expects.
      await shared().query(`INSERT INTO ${table} (event_key, source, subject, state, due_at, received_at)
        SELECT 'h' || n, '', 'call:' || n, CASE WHEN n % 20 = 0 THEN 'failed' ELSE 'handled' END, 9e15::bigint, 1 FROM generate_series(1, 30000) n`)
      await receiver.handle(toRequest(toEnd('b'), 'b'))
      await receiver.drain()
      await inbox.list({ state: 'failed' })
      await inbox.count()
      await inbox.retry({ callId: '20' })
      // Expired rows are deleted with the first completion.
      using _random = vi.spyOn(Math, 'random').mockReturnValue(0.9999)
      await shared().query(sqlDedupeTable())
      await shared().query(`INSERT INTO wabakit_webhook_deliveries
        SELECT 'k' || n, NULL, now() + interval '1 day' FROM generate_series(1, 30000) n`)
      const dedupe = sqlDedupe(server().pool())
      const held = await claim(dedupe, 'a')
      await held.renew(60_000)
      await held.complete()
      expect(await dedupe.claim('a', 60_000)).toBe('duplicate')
      await (await claim(dedupe, 'b')).release()
      await shared().query('ALTER ROLE CURRENT_USER RESET ALL')
      const ran = server().readLog()
      expect(ran).toMatch(/WITH picked/)
      expect(ran).toMatch(/DELETE FROM \w+\.wabakit_webhook_deliveries WHERE expires_at/)
      expect(ran).not.toContain('JIT:')
    })
  },
)
