import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sqliteStore } from '@wabakit/server'
import { afterAll, expect, test } from 'vitest'
import { setUpOrganization } from '../src/cluster/organization.ts'
import type { HistoryEntry } from '../src/histories/history.ts'
import { type RealStores, replayHistory } from '../src/histories/replay-history.ts'
import type { EngineName, Plan } from '../src/plan.ts'

const run = promisify(execFile)

type Recorded = { readonly plan: Plan; readonly history: readonly HistoryEntry[] }

const recordHistories = async (engine: EngineName, count: number): Promise<readonly Recorded[]> => {
  const script = join(import.meta.dirname, 'record-histories.ts')
  const args = ['--conditions=@wabakit/source', script, engine, String(count)]
  const { stdout } = await run(process.execPath, args, { maxBuffer: 2 ** 28 })
  return JSON.parse(stdout)
}

const folder = mkdtempSync(join(tmpdir(), 'wabakit-histories-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A SQLite file. `isReopened`: a process that died is followed by one that opens the file again. */
const openSqlite = async (path: string, { isReopened }: { readonly isReopened: boolean }) => {
  let store = sqliteStore({ path })
  const stores: RealStores = {
    getStore: async () => store,
    setTime: async () => {},
    restart: async () => {
      if (!isReopened) return
      await store.close()
      store = sqliteStore({ path })
    },
  }
  return { stores, store, close: () => store.close() }
}

test('a SQLite file does step by step what the simulated SQLite did, through crashes', async () => {
  for (const [index, { plan, history }] of (await recordHistories('sqlite', 8)).entries()) {
    const { stores, store, close } = await openSqlite(join(folder, `crashes-${index}.db`), {
      isReopened: true,
    })
    await setUpOrganization(store, plan)
    expect(await replayHistory(history, stores), `seed ${plan.seed}`).toBeUndefined()
    await close()
  }
}, 120_000)

test('a SQLite file does step by step what the simulated shared store did, for several workers', async () => {
  for (const [index, { plan, history }] of (await recordHistories('memory', 6)).entries()) {
    const { stores, store, close } = await openSqlite(join(folder, `workers-${index}.db`), {
      isReopened: false,
    })
    await setUpOrganization(store, plan)
    expect(await replayHistory(history, stores), `seed ${plan.seed}`).toBeUndefined()
    await close()
  }
}, 120_000)
