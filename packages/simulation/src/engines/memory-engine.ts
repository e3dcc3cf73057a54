import { memoryStore, type Store } from '@wabakit/core'
import { createServiceClock } from '@wabakit/core/hosting'
import { getTrueTime, type RunContext } from '../cluster/run-context.ts'
import { recordCalls } from '../histories/history.ts'
import type { Engine, StoreUser } from './engine.ts'
import { observeCommits, observePromises } from './observed-store.ts'
import { createRemoteCalls } from './remote-calls.ts'
import { useClockOfStore } from './shared-clock.ts'

/** The memory store as a database that several processes share. */
export const createMemoryEngine = (run: RunContext): Engine => {
  const { plan, scheduler, faults } = run
  const base = memoryStore()
  const openFor = ({ name }: StoreUser): Store =>
    useClockOfStore(recordCalls(base, name, run.record), () => getTrueTime(run))
  const remote = createRemoteCalls(run)

  const connect = (user: StoreUser): Store => ({
    ...remote.wrap(user, observeCommits(openFor(user), run, user.name)),
    onDue: (wake) =>
      base.onDue(() => {
        if (faults.decide(`${user.name} wakes`, ['response lost'], plan.rates?.store) !== undefined) return
        const delayMs = run.travel('wake', 5)
        scheduler.schedule({ owner: user.owner, delayMs, label: 'wake' }, () => void wake())
      }),
    registerWorker: base.registerWorker,
  })

  return {
    committed: base,
    open: (user) => ({
      store: observePromises(connect(user), run, user.name),
      clock: createServiceClock({ wall: user.wall, elapsed: user.elapsed, startAt: getTrueTime(run) }),
    }),
    abandon: () => {},
    setAvailable: remote.setAvailable,
  }
}
