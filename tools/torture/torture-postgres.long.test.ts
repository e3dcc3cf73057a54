import { afterAll, beforeAll, expect, test } from 'vitest'
import { isMatrix } from '../../packages/server/test/programs.ts'
import { createEnvironment, type Environment } from './environment.ts'
import { createPostgresEngine, type PostgresEngine } from './postgres-engine.ts'
import { listFailures, type Ordeal } from './scenario.ts'
import { creates } from './scenarios/creates.ts'
import { kill } from './scenarios/kills.ts'
import { troubleStorage } from './scenarios/postgres-storage.ts'
import { restart } from './scenarios/restarts.ts'
import { shortGrace, stop } from './scenarios/stops.ts'
import { upgrade } from './scenarios/upgrades.ts'
import { pause } from './scenarios/zombies.ts'

// The short form of `npm run torture -- postgres`: one environment goes through all scenarios.
const seed = Date.now() % 1_000_000
let engine: PostgresEngine
let environment: Environment

beforeAll(async () => {
  engine = await createPostgresEngine({ isSynced: false })
  const roles = ['api', 'worker', 'worker'] as const
  environment = await createEnvironment({
    engine,
    seed,
    roles,
    isCalm: true,
    width: 2,
    environment: shortGrace,
  })
})

afterAll(async () => {
  await environment[Symbol.asyncDispose]()
  await engine[Symbol.asyncDispose]()
})

const options = { isCalm: true, progress: () => {} }

const undergo = async (ordeal: Ordeal<PostgresEngine>, times: number): Promise<void> =>
  expect(await ordeal(environment, { ...options, engine, times }), `seed ${seed}`).toEqual([])

test('runs alongside the next version, which expands the tables', () => undergo(upgrade, 1))

test('continues when a process is killed', () => undergo(kill, 1))

test('exits with 0 and gives up its shards when it is stopped', () => undergo(stop, 1))

test('takes over from a worker that is paused, whose late results count for nothing', () => undergo(pause, 1))

test('responds with 503 while the disk is full, and recovers', () => undergo(troubleStorage, 1))

test('responds with 503 when PostgreSQL is stopped, and recovers', () => undergo(restart, 1))

test('has lost nothing by all that, repeated nothing under another id, and attempted nothing twice at once', async () => {
  const result = await environment.finish()
  expect(listFailures(result), `seed ${seed}`).toEqual([])
  expect(result.acknowledged).toBeGreaterThan(0)
  expect(result.takeovers).toBeGreaterThan(0)
  expect(result.resumed.unnoticed, `seed ${seed}`).toBe(0)
})

// Unlike the rest, it needs an environment of its own. The simulation loses responses to commits in CI, too.
test.runIf(isMatrix)(
  'makes one group of each create, whatever becomes of the responses to its commits',
  async () => {
    const { failures } = await creates({ ...options, engine, seed, times: 60 })
    expect(failures, `seed ${seed}`).toEqual([])
  },
)
