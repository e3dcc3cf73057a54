import { expect, test } from 'vitest'
import type { Scenario } from './torture/scenario.ts'
import { kills } from './torture/scenarios/kills.ts'
import { lies } from './torture/scenarios/lies.ts'
import { sqliteStorage } from './torture/scenarios/sqlite-storage.ts'
import { stops } from './torture/scenarios/stops.ts'
import { sqliteEngine } from './torture/sqlite-engine.ts'

/** A few seconds of a scenario; `npm run torture -- sqlite` is the long form. */
const shorten = async (scenario: Scenario, times: number): Promise<void> => {
  const seed = Date.now() % 1_000_000
  const options = { engine: sqliteEngine, seed, times, isCalm: true, progress: () => {} }
  const { failures, result } = await scenario(options)
  expect(failures, `seed ${seed}`).toEqual([])
  expect(result.acknowledged).toBeGreaterThan(0)
}

const limit = 60_000

test.concurrent('loses nothing that was acknowledged when it is killed', () => shorten(kills, 4), limit)

test.concurrent('loses nothing, and ends with 0, when it is stopped', () => shorten(stops, 2), limit)

test.concurrent(
  'responds with 503 and recovers when the disk is full or locked',
  () => shorten(sqliteStorage, 2),
  limit,
)

test.concurrent('is seen through when its store drops commits', () => shorten(lies, 20), limit)
