import type { News, Store } from '@wabakit/core'
import { createServiceClock } from '@wabakit/core/hosting'
import { createMemoryStore } from '../../../core/src/memory-store/memory-store.ts'
import { getTrueTime, type RunContext } from '../cluster/run-context.ts'
import { recordCalls } from '../histories/history.ts'
import type { Engine, StoreUser } from './engine.ts'
import { observeCommits, observePromises } from './observed-store.ts'
import { createRemoteCalls } from './remote-calls.ts'

/** Replaces the time of each call by that of the store: processes that share a store do not trust each other's clocks. */
const useClockOfStore = (store: Store, now: () => number): Store => ({
  ...store,
  settleDeliveries: (settlements) =>
    store.settleDeliveries(settlements.map((settlement) => ({ ...settlement, now: now() }))),
  renewWorker: (renewal) => store.renewWorker({ ...renewal, now: now() }),
  takeShards: (request) => store.takeShards({ ...request, now: now() }),
  giveShards: (request) => store.giveShards({ ...request, now: now() }),
  resendDeliveries: (query) => store.resendDeliveries({ ...query, now: now() }),
  measureBacklog: (request) => store.measureBacklog({ ...request, now: now() }),
  erase: (request) => store.erase({ ...request, now: now() }),
})

/**
 * The memory store as a database that several processes share. News arrives late, in another order, or never, transactions are committed in another order than
 * their positions, and a settlement can miss what is committed meanwhile.
 */
export const createMemoryEngine = (run: RunContext): Engine => {
  const { plan, scheduler, faults, draws } = run
  // As if it had been open while up to 20 others were committed. The fraction makes it unique.
  const takePosition = (order: number, lastOfLane: number): number =>
    Math.max(lastOfLane + 1e-6, 20 + order - draws.between('open for', [0, 20]) + (order % 1_024) / 1_024)
  const base = createMemoryStore(takePosition, true)
  /** When deliveries were added, and servers began to settle. */
  const added = new Map<number, number>()
  const settling = new Map<string, number>()
  base.listen((news) => {
    if (news.kind === 'head') added.set(news.head.position, scheduler.steps())
    if (news.kind === 'appended') added.set(news.from, scheduler.steps())
  })
  /** The worker of each server, and what tells it that it is lost. */
  const workers = new Map<string, { id: string; lose(): void }>()
  const remote = createRemoteCalls(run)

  /** A settlement can miss what was committed while it was under way. */
  const missNext = (store: Store, server: string): Store => ({
    ...store,
    settleDeliveries: async (settlements) =>
      (await store.settleDeliveries(settlements)).map((outcome) => {
        const { next = null } = outcome.outcome === 'settled' ? outcome : {}
        const isLate = next !== null && (added.get(next.position) ?? 0) > (settling.get(server) ?? 0)
        return isLate && draws.isChosen('missed by a settlement', 0.5) ? { ...outcome, next: null } : outcome
      }),
  })

  const openFor = ({ name }: StoreUser): Store =>
    missNext(
      useClockOfStore(recordCalls(base, name, run.record), () => getTrueTime(run)),
      name,
    )

  const connect = (user: StoreUser): Store => {
    const { name, owner } = user
    const store = remote.wrap(user, observeCommits(openFor(user), run, name))
    const worker = { id: '', lose: () => {} }
    workers.set(name, worker)
    return {
      ...store,
      settleDeliveries: (settlements) => {
        settling.set(name, scheduler.steps())
        return store.settleDeliveries(settlements)
      },
      renewWorker: (renewal) => {
        worker.id = renewal.worker
        return store.renewWorker(renewal)
      },
      listen: (listener) => {
        const tell = (news: News): void => {
          const delayMs = run.travel('news', 5)
          scheduler.schedule({ owner, delayMs, label: 'news' }, () => listener(news))
        }
        worker.lose = () => tell({ kind: 'lost' })
        return base.listen((news) => {
          if (faults.decide(`${name} news`, ['response lost'], plan.rates?.store) === undefined) tell(news)
        })
      },
    }
  }

  return {
    committed: base,
    open: (user) => ({
      store: observePromises(connect(user), run, user.name),
      clock: createServiceClock({ wall: user.wall, elapsed: user.elapsed, startAt: getTrueTime(run) }),
    }),
    abandon: () => {},
    endSession: (server) => {
      const worker = workers.get(server)
      if (worker === undefined) return
      void base.endWorker(worker.id)
      run.observe({ kind: 'worker lost', server })
      worker.lose()
    },
    setAvailable: remote.setAvailable,
  }
}
