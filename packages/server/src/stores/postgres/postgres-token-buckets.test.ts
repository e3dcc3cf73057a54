import { memoryTokenBuckets, type TokenBuckets } from '@wabakit/core'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPostgresDatabase } from '../../../test/shared-cluster.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'
import { postgresTokenBuckets } from './token-leases.ts'

let databases: PostgresDatabase[]
let buckets: TokenBuckets[]

beforeAll(async () => {
  const url = await createPostgresDatabase()
  databases = await Promise.all([openPostgres({ url }), openPostgres({ url })])
  buckets = databases.map(postgresTokenBuckets)
  await databases[0]?.query('CREATE TABLE public.clock AS SELECT 0::bigint AS now')
  await databases[0]?.query(
    'CREATE OR REPLACE FUNCTION wabakit.clock_ms() RETURNS bigint LANGUAGE sql VOLATILE RETURN (SELECT now FROM public.clock)',
  )
})

afterAll(async () => {
  for (const database of databases) await database.close()
})

const setClock = (now: number) => databases[0]?.query('UPDATE public.clock SET now = $1', [now])

test('all processes in total get no more tokens than a bucket has', async () => {
  await setClock(1_000)
  const bucket = { key: 'organization:acme', capacity: 10, refillMs: 60_000 }
  const takes = Array.from({ length: 40 }, (_, index) =>
    buckets[index % 2]?.take({ now: 0, buckets: [bucket] }),
  )
  const states = (await Promise.all(takes)).flatMap((state) => state ?? [])
  expect(states.filter(({ retryAfterMs }) => retryAfterMs === 0).length).toBe(10)
  expect(states.filter(({ retryAfterMs }) => retryAfterMs === 6_000).length).toBe(30)
  expect(await databases[0]?.query('SELECT full_at FROM wabakit.token_buckets')).toHaveLength(1)
})

test('takes from several buckets in any order without a deadlock', async () => {
  const names = ['a', 'b', 'c']
  const takes = Array.from({ length: 60 }, (_, index) => {
    const order = index % 2 === 0 ? names : names.toReversed()
    const wanted = order.map((key) => ({ key, capacity: 1_000, refillMs: 1_000 }))
    return buckets[index % 2]?.take({ now: 0, buckets: wanted })
  })
  const states = (await Promise.all(takes)).flat()
  expect(states.length).toBe(180)
})

let runs = 0

test('decides like the in-memory buckets at all times', async () => {
  const request = fc.record({
    pauseMs: fc.integer({ min: 0, max: 700 }),
    keys: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1 }),
  })
  const sizes = {
    x: { capacity: 3, refillMs: 1_000 },
    y: { capacity: 2, refillMs: 1_500 },
    z: { capacity: 5, refillMs: 700 },
  }
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 5, maxLength: 20 }), async (requests) => {
      const run = ++runs
      const memory = memoryTokenBuckets()
      let now = 10_000
      for (const { pauseMs, keys } of requests) {
        now += pauseMs
        await setClock(now)
        const wanted = keys.map((key) => ({ key: `${run}:${key}`, ...sizes[key] }))
        const expected = await memory.take({ now, buckets: wanted })
        const actual = await buckets[0]?.take({ now: 0, buckets: wanted })
        for (const [index, state] of (actual ?? []).entries()) {
          expect(state.remaining).toBe(expected[index]?.remaining)
          expect(state.retryAfterMs).toBeCloseTo(expected[index]?.retryAfterMs ?? -1, 2)
          expect(state.fullAfterMs).toBeCloseTo(expected[index]?.fullAfterMs ?? -1, 2)
        }
      }
    }),
    { numRuns: 20, examples: [[Array.from({ length: 5 }, () => ({ pauseMs: 0, keys: ['x'] }))]] },
  )
})
