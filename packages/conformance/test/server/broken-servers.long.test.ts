import { expect, test } from 'vitest'
import { type CheckResult, examineServer, type Report } from '../../src/index.ts'
import { createBrokenServers } from './broken-servers.ts'
import type { BrokenServer } from './mutations.ts'
import { startReference } from './reference.ts'

/** Long enough for a busy machine: the correct server responds and retries deliveries within a second. */
const waits = { timeoutMs: 6_000, retryTimeoutMs: 6_000 }

/** Maximum number of servers that are examined concurrently. */
const concurrency = 20

const examine = async (server: BrokenServer): Promise<Report> => {
  const { examination, stop } = await startReference(server)
  try {
    const only = [server.caughtBy.slice(0, server.caughtBy.indexOf('.'))]
    return await examineServer({ ...examination, ...waits, only, minutes: server.minutes ?? 0 })
  } finally {
    await stop()
  }
}

const isFinding = ({ verdict }: CheckResult): boolean => verdict === 'fail' || verdict === 'advice'

test('finds the mistake of every broken server with the right check', async () => {
  const servers = createBrokenServers()
  const waiting = [...servers]
  const missed: string[] = []
  const lenient: string[] = []
  const work = async (): Promise<void> => {
    for (let server = waiting.shift(); server !== undefined; server = waiting.shift()) {
      const { name, caughtBy } = server
      const report = await examine(server)
      const check = report.checks.find(({ id }) => id === caughtBy)
      if (check === undefined || !isFinding(check))
        missed.push(`${name}: ${caughtBy} is ${check?.verdict}, ${check?.observed}`)
      else if ((check.decision ?? false) === (check.verdict === 'fail'))
        lenient.push(`${name}: ${check.verdict}`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))

  expect(servers.length).toBeGreaterThanOrEqual(100)
  expect(new Set(servers.map(({ name }) => name)).size).toBe(servers.length)
  expect(lenient).toEqual([])
  expect(missed).toEqual([])
}, 900_000)
