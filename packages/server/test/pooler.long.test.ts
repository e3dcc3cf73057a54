import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { command } from './cli/wabakit.ts'
import { hasPgBouncer, startPgBouncer } from './pgbouncer.ts'
import { createCluster } from './postgres-cluster.ts'

// A supervisor must not restart what a restart cannot fix: the units of the guide leave exit code 2 alone.
test.skipIf(!hasPgBouncer)(
  'behind a pooler in transaction mode, serve exits with code 2 and names the mode',
  async () => {
    await using cluster = await createCluster()
    const pooler = await startPgBouncer(await cluster.createDatabase(), 'transaction')
    const args = [...command, 'serve', '--port', '0', '--database', pooler.url]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    await pooler.close()
    expect(code).toBe(2)
    expect(output).toContain('a pooler in transaction or statement mode')
  },
)
