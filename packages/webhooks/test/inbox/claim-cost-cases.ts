import { sqlInbox } from '@wabakit/webhooks'
import type { ClientBase, Pool } from 'pg'
import { describe, expect, it } from 'vitest'
import { type Environment, receive, toJoin, toRequest } from './environment.ts'

type Server = { readonly pool: () => Pool }
type Backlog = {
  readonly handled: number
  readonly lane: number
  /** Entries that wait for a retry and are due, two in each lane. */
  readonly retries: number
  /** Entries of one lane that wait for a retry and are due, before a new one. */
  readonly failedLane?: number
  /** New entries after them in the same lane. */
  readonly behindFailed?: number
  /** Entries that were claimed and handled, and whose old versions no VACUUM has removed. */
  readonly churned?: number
  readonly statistics: string
}

const createEnvironment = (pool: Pool): Environment => ({
  inbox: (options) => sqlInbox(pool, options) as never,
  write: () => {},
  query: async (text) => (await pool.query(text)).rows,
})

/** Records the messages that a pool sends. */
const recordSent = (pool: Pool): readonly string[] => {
  const sent: string[] = []
  pool.on('connect', (client) => {
    const { query } = client
    const record = (...parameters: unknown[]) => {
      sent.push(String(parameters[0]))
      return Reflect.apply(query, client, parameters)
    }
    Object.assign(client, { query: record })
  })
  return sent
}

/** Returns the messages that an inbox sends to claim entries, on a table that has the given backlog afterwards. */
const record = async (pool: Pool, backlog: Backlog) => {
  const { handled, lane, retries, failedLane = 0, behindFailed = 1, churned = 0, statistics } = backlog
  const sent = recordSent(pool)
  const { receiver, table } = receive(createEnvironment(pool))
  receiver.onAny(() => {})
  await receiver.handle(toRequest(toJoin('first'), 'first'))
  await receiver.drain()
  const insert = `INSERT INTO ${table} (event_key, source, subject, state, due_at, received_at)`
  const analyze = (when: string) => statistics === when && pool.query(`VACUUM ANALYZE ${table}`)
  await pool.query(`TRUNCATE ${table}`)
  await pool.query(
    `${insert} SELECT 'h' || n, '', 'hot', 'handled', 9e15::bigint, 1 FROM generate_series(1, ${handled}) n`,
  )
  await analyze('early')
  await pool.query(`${insert} SELECT 's' || n, '', 'hot', 'stored', n, n FROM generate_series(1, ${lane}) n`)
  await pool.query(
    `${insert} SELECT 'o' || n, '', 'o' || n, 'stored', 1e6 + n, 1e6 + n FROM generate_series(1, 20) n`,
  )
  await pool.query(
    `${insert} SELECT 'r' || n, '', 'r' || n / 2, 'failed', n, n FROM generate_series(1, ${retries}) n`,
  )
  await pool.query(
    `${insert} SELECT 'f' || n, '', 'failing', 'failed', n, n FROM generate_series(1, ${failedLane}) n`,
  )
  if (failedLane > 0) {
    await pool.query(
      `${insert} SELECT 'n' || n, '', 'failing', 'stored', 1, 1 FROM generate_series(1, ${behindFailed}) n`,
    )
  }
  await pool.query(
    `${insert} SELECT 'x' || n, '', 'x' || n, 'handled', 9e15::bigint, 1 FROM generate_series(1, ${handled}) n`,
  )
  await analyze('late')
  if (churned > 0) {
    await pool.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`)
    await pool.query(
      `${insert} SELECT 'c' || n, '', 'c' || n, 'stored', 9e15::bigint, 1 FROM generate_series(1, ${churned}) n`,
    )
    await pool.query(`UPDATE ${table} SET state = 'claimed' WHERE event_key LIKE 'c%'`)
    await pool.query(`UPDATE ${table} SET state = 'handled' WHERE event_key LIKE 'c%5'`)
    // As if statistics were collected while entries were claimed.
    await pool.query(`ANALYZE ${table}`)
    await pool.query(`UPDATE ${table} SET state = 'handled' WHERE state = 'claimed'`)
  }
  return sent.filter((text) => text.includes("'lock'"))
}

/** Returns the number of buffers that a statement reads. */
const readBuffers = async (client: Pick<ClientBase, 'query'>, text: string): Promise<number> => {
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`)
  const [{ Plan: plan }] = rows[0]['QUERY PLAN']
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}

/** Runs a message, and returns the number of buffers that its main statement reads. */
const countBuffers = async (client: Pick<ClientBase, 'query'>, text: string): Promise<number> => {
  const [start, end] = [text.search(/WITH picked|UPDATE [\w.]+ e SET/), text.lastIndexOf('; DELETE FROM')]
  await client.query(text.slice(0, start))
  const count = await readBuffers(client, text.slice(start, end))
  await client.query(text.slice(end + 1))
  return count
}

/**
 * Returns how many buffers each statement that claims entries reads: again, first, first again, postpone, first. The
 * statements are recorded from the connection, and run again with EXPLAIN.
 */
export const measureClaims = async (pool: Pool, backlog: Backlog): Promise<number[]> => {
  const sent = await record(pool, backlog)
  const claims = sent.filter((text) => text.includes('WITH picked'))
  const again = claims.find((text) => text.includes('UNION ALL')) ?? ''
  const first = claims.find((text) => text.includes('advanced') && text !== again) ?? ''
  const postpone = sent.find((text) => !text.includes('WITH picked')) ?? ''
  const client = await pool.connect()
  const counts: number[] = []
  // The claim takes the first entry of the lane, whose others stay in the way until they are postponed.
  for (const text of [again, first, first, postpone, first]) counts.push(await countBuffers(client, text))
  client.release()
  return counts
}

/** Tests what a claim reads. */
export const claimCostCases = (name: string, server: () => Server): void => {
  describe(`${name}: cost of a claim`, () => {
    const measure = (backlog: Backlog) => measureClaims(server().pool(), backlog)

    it('is a query for the next time in each state while nothing is due', async () => {
      const pool = server().pool()
      const sent = recordSent(pool)
      const { receiver, inbox, table } = receive(createEnvironment(pool), { pollMs: 20 })
      await inbox.count()
      await pool.query(`INSERT INTO ${table} (event_key, source, subject, state, due_at, received_at)
        SELECT 'k' || n, '', 's' || n, (ARRAY['handled', 'handled', 'handled', 'stored', 'failed'])[1 + n % 5], 9e15::bigint, 1
        FROM generate_series(1, 10000) n`)
      receiver.start()
      const isIdle = (text: string) => text.includes('min(due_at)')
      await expect.poll(() => sent.filter(isIdle).length).toBeGreaterThan(3)
      const [first, last] = [sent.findIndex(isIdle), sent.findLastIndex(isIdle)]
      await receiver.stop()
      expect(sent.slice(first, last).filter((text) => text.includes("'lock'"))).toEqual([])
      expect(await readBuffers(pool, sent[first] ?? '')).toBeLessThan(50)
    })

    it('reads few buffers for each failed entry of a lane, which can have about 100, and one for many new entries behind them', async () => {
      const backlog = { handled: 8_000, lane: 0, retries: 0, failedLane: 1, statistics: 'late' }
      const [one = 0] = await measure(backlog)
      const [many = 0] = await measure({ ...backlog, failedLane: 110 })
      const [before = 0] = await measure({ ...backlog, behindFailed: 8_000 })
      // About 40 and 600.
      expect([one > 0, many > one, many < 1_000]).toEqual([true, true, true])
      expect(before).toBeLessThan(one + 400)
    })

    it('reads the old versions of handled entries at most once before a VACUUM', async () => {
      const backlog = { handled: 200, lane: 200, retries: 200, statistics: 'none' }
      const [, , few = 0] = await measure(backlog)
      const [, , many = 0] = await measure({ ...backlog, churned: 8_000 })
      expect(few).toBeGreaterThan(0)
      // One for each page of the index that only has old versions.
      expect(many).toBeLessThanOrEqual(few + 120)
    })

    it.each(['late', 'early', 'none'])(
      'depends neither on handled entries, nor on due retries, nor on the length of a lane, with statistics: %s',
      async (statistics) => {
        const few = await measure({ handled: 200, lane: 200, retries: 200, statistics })
        const many = await measure({ handled: 8_000, lane: 4_000, retries: 4_000, statistics })
        expect(few.every((count) => count > 0)).toBe(true)
        for (const [index, count] of many.entries())
          expect(count).toBeLessThanOrEqual(2 * (few[index] ?? 0) + 50)
        // The claims, apart from postponing, read a handful of buffers for each entry that they take.
        expect(Math.max(...many.toSpliced(3, 1))).toBeLessThan(500)
      },
    )
  })
}
