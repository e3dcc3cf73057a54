import { expect, test } from 'vitest'
import { isMatrix, requireProgram } from '../../packages/server/test/programs.ts'
import type { Trial } from './scenario.ts'
import { kills } from './scenarios/kills.ts'
import { lies } from './scenarios/lies.ts'
import { powerLosses } from './scenarios/power-losses.ts'
import { sqliteStorage } from './scenarios/sqlite-storage.ts'
import { stops } from './scenarios/stops.ts'
import { sqliteEngine } from './sqlite-engine.ts'

/** A few seconds of a scenario; `npm run torture -- sqlite` is the long form. */
const shorten = async (scenario: Trial, times: number) => {
  const seed = Date.now() % 1_000_000
  const options = { engine: sqliteEngine, seed, times, isCalm: true, progress: () => {} }
  const { done, failures, result } = await scenario(options)
  expect(failures, `seed ${seed}`).toEqual([])
  expect(result?.acknowledged).not.toBe(0)
  return { done, result }
}

test.concurrent('loses no acknowledged changes when it is killed', () => shorten(kills, 2))

// On PostgreSQL, processes are stopped in CI, too.
test.runIf(isMatrix).concurrent('loses nothing and exits with 0 when it is stopped', () => shorten(stops, 2))

test.concurrent('responds with 503 and recovers when the disk is full or locked', () =>
  shorten(sqliteStorage, 2))

test.concurrent('loses nothing that was acknowledged when the machine loses its power, and what was not synced with it', async ({
  skip,
}) => {
  const { done, result } = await shorten(powerLosses, 2)
  skip(!requireProgram('a C compiler', result !== undefined), done)
})

test.concurrent('is detected when its store drops commits', () => shorten(lies, 20))
