import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { createCluster } from '../../packages/server/test/postgres-cluster.ts'
import { installExample, packPackages } from '../frameworks/install.ts'

// Installs the example of every ORM with the packed packages, compiles it, and runs its test on a real PostgreSQL. Arguments
// select the ORMs whose tests run.
const execute = promisify(execFile)
const [, , ...selected] = process.argv
const all = readdirSync(resolve(import.meta.dirname, '../../examples/orms'))
  .filter((file) => file.endsWith('.ts') && file !== 'orms.test.ts')
  .map((file) => file.replace('.ts', ''))

const folder = await installExample('orms', await packPackages())
const cluster = await createCluster()
try {
  const env = {
    ...process.env,
    DATABASE_URL: await cluster.createDatabase(),
    ORMS: (selected.length > 0 ? selected : all).join(','),
    // Only migrations use this engine, but Prisma downloads it for every command, unless a file is named.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
  }
  // By default, vitest gives a test 5 seconds, which a busy machine exceeds.
  for (const [script, ...options] of [['generate'], ['typecheck'], ['test', '--', '--testTimeout=120000']]) {
    const { stdout } = await execute('npm', ['run', `${script}`, ...options], { cwd: folder, env }).catch(
      (error) => {
        throw new Error(`${error.stdout}\n${error.stderr}`)
      },
    )
    if (script === 'test') console.log(stdout)
  }
} finally {
  await cluster.remove()
}
