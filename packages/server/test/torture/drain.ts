import { setTimeout } from 'node:timers/promises'
import type { EnvironmentDatabase } from './engine.ts'
import type { Fleet } from './fleet.ts'
import type { Recorder } from './recorder.ts'

/** Of an environment, what {@link drain} looks at. */
export type DrainContext = {
  /** Calls the control API. */
  readonly control: (method: string, path: string) => Promise<object>
  readonly recorder: Pick<Recorder, 'open'>
  readonly database: Pick<EnvironmentDatabase, 'endLeases'>
  readonly fleet: Pick<Fleet, 'names'>
}

const longestMs = 120_000
/** When the endpoint was idle for so long, what is still claimed is claimed by nobody who attempts it. */
const idleMs = 7_000

/** Waits until everything is delivered; no longer than two minutes, after which the checker finds what is left. */
export const drain = async ({ control, recorder, database, fleet }: DrainContext): Promise<void> => {
  const isLeft = async (status: string): Promise<boolean> => {
    const page = await control('GET', `/organizations/torture/deliveries?status=${status}&limit=1`)
    return JSON.stringify(page).includes('"id"')
  }
  const isDrained = async (): Promise<boolean> => {
    const left = await Promise.all(['waiting', 'pending', 'claimed'].map(isLeft))
    return !left.includes(true)
  }
  const end = Date.now() + longestMs
  let idleSince = Date.now()
  // The database may be just coming back.
  while (Date.now() < end && !(await isDrained().catch(() => false))) {
    await setTimeout(100)
    if (recorder.open() > 0) idleSince = Date.now()
    if (Date.now() - idleSince < idleMs) continue
    await database.endLeases(...fleet.names)
    idleSince = Date.now()
  }
}
