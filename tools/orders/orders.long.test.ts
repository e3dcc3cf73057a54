import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { survive } from './survive.ts'

test('the order service handles or parks each acknowledged event of a sender without ids, however often it is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-orders-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const load = { calls: 60, loadMs: 5_000, lifeMs: [300, 1_000], chance: 0.1 } as const
  const result = await survive({ database: join(folder, 'orders.db'), profile: 'live', ...load })
  expect(result.mistakes).toEqual({ lost: 0, doubled: 0, missing: 0, wrong: 0, inVain: 0 })
  expect(result.notPicked).toBeGreaterThan(0)
  expect(result.expected).toBeGreaterThan(0)
  expect(result.kills).toBeGreaterThan(1)
})
