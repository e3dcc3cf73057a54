import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { survive } from './survive.ts'

test('the order service has one summary for each completed call with an acknowledged event, however often it is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-orders-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const database = join(folder, 'orders.db')
  const result = await survive({ database, calls: 60, loadMs: 5_000, lifeMs: [300, 1_000], chance: 0.1 })
  expect(result).toMatchObject({ missing: 0, wrong: 0, doubled: 0, failed: 0 })
  expect(result.expected).toBeGreaterThan(0)
  expect(result.kills).toBeGreaterThan(1)
}, 120_000)
