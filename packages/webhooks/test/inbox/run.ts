import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCluster } from '../../../server/test/postgres-cluster.ts'
import { hasMariadb, startMariadb } from '../mariadb.ts'
import { bundleReceiver, killReceiver } from './kills.ts'
import { simulateKills } from './simulated-kills.ts'

// Long kill test: `npm run torture:inbox -- [sqlite] [postgres] [mariadb] [--kills 500] [--seconds 300]`, and simulated
// kills with `-- --simulated 10000`. Exits with 1 if an event that got a 200 has no effect, or more than one.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    simulated: { type: 'string' },
  },
})
const limits = {
  kills: Number(values.kills),
  maxMs: Number(values.seconds) * 1_000,
  seed: Number(values.seed),
}

const listEngines = (): readonly string[] => {
  if (values.simulated !== undefined) return []
  return positionals.length > 0 ? positionals : ['sqlite', 'postgres', ...(hasMariadb ? ['mariadb'] : [])]
}

if (values.simulated !== undefined) {
  console.log('simulated', await simulateKills({ kills: Number(values.simulated), seed: limits.seed }))
}
/** Creates a database. Returns its URL or file, and a function that removes it. */
const createDatabase = async (engine: string) => {
  if (engine === 'mariadb') {
    const { url, stop } = await startMariadb()
    return { database: url, remove: stop }
  }
  if (engine === 'postgres') {
    const cluster = await createCluster()
    return { database: await cluster.createDatabase(), remove: cluster.remove }
  }
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-inbox-'))
  return { database: join(folder, 'receiver.db'), remove: () => rmSync(folder, { recursive: true }) }
}

const folder = mkdtempSync(join(tmpdir(), 'wabakit-receiver-'))
try {
  const script = await bundleReceiver(folder)
  for (const engine of listEngines()) {
    const { database, remove } = await createDatabase(engine)
    try {
      const result = await killReceiver({ script, database, ...limits })
      console.log(engine, result)
      if (result.missing + result.doubled > 0) process.exitCode = 1
    } finally {
      await remove()
    }
  }
} finally {
  rmSync(folder, { recursive: true })
}
