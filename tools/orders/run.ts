import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCluster } from '../../packages/server/test/postgres-cluster.ts'
import { survive } from './survive.ts'

// The long form: `npm run torture:orders -- [sqlite] [postgres] [--profile reference] [--calls 2000] [--seconds 60]
// [--recovery 120]`. Exits with 1 if an acknowledged event is neither handled nor set aside in time after the last kill, or
// check.ts finds another mistake.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    calls: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '60' },
    recovery: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    profile: { type: 'string', default: 'live' },
  },
})
const engines = positionals.length > 0 ? positionals : ['sqlite', 'postgres']
const load = {
  profile: values.profile === 'reference' ? 'reference' : 'live',
  calls: Number(values.calls),
  loadMs: Number(values.seconds) * 1_000,
  recoveryMs: Number(values.recovery) * 1_000,
  lifeMs: [1_000, 5_000],
  seed: Number(values.seed),
} as const

for (const engine of engines) {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-orders-'))
  const cluster = engine === 'postgres' ? await createCluster() : undefined
  try {
    const database = (await cluster?.createDatabase()) ?? join(folder, 'orders.db')
    const result = await survive({ database, ...load })
    console.log(engine, result)
    if (Object.values(result.mistakes).some((count) => count > 0)) process.exitCode = 1
  } finally {
    await cluster?.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}
