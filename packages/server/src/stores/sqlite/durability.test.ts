import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bundles } from '../../../test/bundle-processes.ts'
import { requireCommand } from '../../../test/programs.ts'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { sqliteStore } from './sqlite-store.ts'

const writerCommand = (path: string, width: number, total: number): string[] => [
  bundles.write,
  ...[path, String(width), String(total)],
]

test('everything a killed process acknowledged is in the database, with its event and delivery', async () => {
  const path = join(temporaryFolder(), 'wabakit.db')
  const acknowledged: string[] = []
  for (const groups of [1, 45, 125]) {
    const child = spawn(process.execPath, writerCommand(path, 16, 1_000_000))
    onTestFinished(() => void child.kill('SIGKILL'))
    let output = ''
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      output += chunk
      if (output.split('\n').length > groups) child.kill('SIGKILL')
    }
    // The last line may be incomplete.
    acknowledged.push(...output.split('\n').slice(0, -1))
  }

  const store = sqliteStore({ path })
  onTestFinished(store.close)
  for (const groupId of acknowledged) {
    expect(await store.findGroup('acme', groupId), groupId).toBeDefined()
    const ofEvent = { organizationId: 'acme', eventId: `evt_${groupId}`, limit: 2 }
    expect((await store.listEvents(ofEvent)).items, groupId).toHaveLength(1)
    expect((await store.listDeliveries(ofEvent)).items, groupId).toHaveLength(1)
  }
})

test('a commit interrupted by a disk failure has an unknown outcome, and loses nothing acknowledged', async () => {
  const path = join(temporaryFolder(), 'wabakit.db')
  // Files may not grow past 600 KiB, so a write of the log fails in the middle of a COMMIT.
  const limited = `trap '' XFSZ; ulimit -f 600; exec "$@"`
  const command = ['-c', limited, 'bash', process.execPath, ...writerCommand(path, 16, 100_000)]
  const { status, stdout, stderr } = spawnSync('bash', command, { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain('StorageOutcomeUnknownError: The database failed to commit')
  const acknowledged = stdout.split('\n').slice(0, -1)
  expect(acknowledged.length).toBeGreaterThan(20)
  const store = sqliteStore({ path })
  onTestFinished(store.close)
  for (const groupId of acknowledged) expect(await store.findGroup('acme', groupId), groupId).toBeDefined()
})

/** Counts the fsyncs and the acknowledged writes. */
const trace = (width: number, total: number) => {
  const path = join(temporaryFolder(), 'wabakit.db')
  const command = [process.execPath, ...writerCommand(path, width, total)]
  const { stdout, stderr } = spawnSync('strace', ['-f', '-e', 'trace=fsync,fdatasync', ...command], {
    encoding: 'utf8',
  })
  return {
    acknowledged: stdout.split('\n').length - 1,
    syncs: stderr.match(/\b(?:fsync|fdatasync)\(/g)?.length ?? 0,
  }
}

test.skipIf(!requireCommand('strace', '-V'))(
  'each commit is an fsync, and writes that arrive together share one',
  () => {
    const one = trace(1, 50)
    expect(one.acknowledged).toBe(50)
    expect(one.syncs).toBeGreaterThanOrEqual(50)
    const together = trace(50, 50)
    expect(together.acknowledged).toBe(50)
    expect(together.syncs).toBeLessThan(one.syncs - 40)
  },
)
