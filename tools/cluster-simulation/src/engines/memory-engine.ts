import { type QueueChange, StorageUnavailableError, type Store } from '@wabakit/core'
import { createServiceClock } from '@wabakit/core/hosting'
import { createMemoryStore } from '../../../../packages/core/src/memory-store/memory-store.ts'
import type { RunContext } from '../cluster/run-context.ts'
import { recordCalls } from '../histories/history.ts'
import { createOwner } from '../virtual/event-loop.ts'
import type { SimulatedEngine, StoreUser } from './engine.ts'
import { observeCommits, observePromises } from './observed-store.ts'
import { createRemoteCalls } from './remote-calls.ts'

/** Uses the store's time in each call, because a shared database does not trust the clocks of processes. */
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

type Worker = {
  id: string
  isRegistered: boolean
  /** Number of sessions that have ended. */
  losses: number
  canRenew: boolean
  /** The functions to call when the worker is registered again. */
  waiting: Array<() => void>
  /** Notifies the worker that its session has ended. */
  lose(): void
}

/** Time for which a worker keeps its shards after the end of its session, in milliseconds, as on PostgreSQL. */
const graceMs = 2_000

/** Time after which a renewal fails if the worker has no session, in milliseconds. */
const patienceMs = 5_000

/**
 * Runs the memory store as a database that several processes share. Changes may be reported late, out of order or never.
 * Transactions may not commit in the order of their positions, and settlements may miss concurrent commits.
 */
export const createMemoryEngine = (run: RunContext): SimulatedEngine => {
  const { plan, loop, faults, draws } = run
  // Up to 20 other transactions commit while a transaction is open. The fraction makes each position unique.
  const takePosition = (order: number, lastOfLane: number): number =>
    Math.max(lastOfLane + 1e-6, 20 + order - draws.between('open for', [0, 20]) + (order % 1_024) / 1_024)
  const base = createMemoryStore({ takePosition, emitsAll: true })
  /** The step at which each position was added. */
  const added = new Map<number, number>()
  /** The step at which each server started its latest settlement. */
  const settling = new Map<string, number>()
  base.listen((change) => {
    if (change.kind === 'head') added.set(change.head.position, loop.steps())
    if (change.kind === 'appended') added.set(change.from, loop.steps())
  })
  const workers = new Map<string, Worker>()
  const remote = createRemoteCalls(run)
  /** Reports of changes are lost more often than responses. */
  const changeRates = { 'response lost': Math.min(0.5, 4 * (plan.rates?.store['response lost'] ?? 0)) }

  /** Makes a settlement miss some of the deliveries that were committed while it ran. */
  const missNext = (store: Store, server: string): Store => ({
    ...store,
    settleDeliveries: async (settlements) =>
      (await store.settleDeliveries(settlements)).map((outcome) => {
        const { next = null } = outcome.outcome === 'settled' ? outcome : {}
        const isLate = next !== null && (added.get(next.position) ?? 0) > (settling.get(server) ?? 0)
        return isLate && draws.isChosen('missed by a settlement', 0.5) ? { ...outcome, next: null } : outcome
      }),
  })

  const connect = (user: StoreUser): Store => {
    const { name, owner } = user
    const opened = missNext(useClockOfStore(recordCalls(base, name, run.record), run.now), name)
    const store = remote.wrap(user, observeCommits(opened, run, name))
    const worker: Worker = {
      id: '',
      isRegistered: true,
      losses: 0,
      canRenew: true,
      waiting: [],
      lose: () => {},
    }
    workers.set(name, worker)
    const waitForSession = (): Promise<void> =>
      new Promise((resolve, reject) => {
        if (worker.isRegistered) return resolve()
        worker.waiting.push(() => loop.schedule({ owner, delayMs: 0, label: 'session' }, resolve))
        setTimeout(() => reject(new StorageUnavailableError('Simulated: there is no session.')), patienceMs)
      })
    return {
      ...store,
      settleDeliveries: (settlements) => {
        settling.set(name, loop.steps())
        return store.settleDeliveries(settlements)
      },
      renewWorker: async (renewal) => {
        worker.id = renewal.worker
        await waitForSession()
        if (!worker.canRenew) throw new StorageUnavailableError('Simulated: leases cannot be written.')
        return store.renewWorker(renewal)
      },
      listen: (listener) => {
        const report = (change: QueueChange): void => {
          const delayMs = run.travel('news', 5) + draws.between('late news', [0, plan.changesMs ?? 0])
          loop.schedule({ owner, delayMs, label: 'news' }, () => listener(change))
        }
        worker.lose = () => report({ kind: 'lost' })
        return base.listen((change) => {
          if (faults.decide(`${name} news`, ['response lost'], changeRates) === undefined) report(change)
        })
      },
    }
  }

  /** Ends the session of a worker. Frees its shards, unless it is registered again in time. */
  const end = (worker: Worker): void => {
    worker.isRegistered = false
    const loss = ++worker.losses
    const owner = createOwner('store')
    loop.schedule({ owner, delayMs: graceMs, label: 'end of a worker' }, () => {
      if (!worker.isRegistered && worker.losses === loss) void base.endWorker(worker.id)
    })
  }

  return {
    committed: base,
    open: (user) => ({
      store: observePromises(connect(user), run),
      clock: createServiceClock({ ...user, startAt: run.now() }),
    }),
    abandon: ({ name }) => {
      const worker = workers.get(name)
      if (worker === undefined) return
      workers.delete(name)
      end(worker)
    },
    endSession: (server) => {
      const worker = workers.get(server)
      if (worker === undefined) return () => {}
      worker.lose()
      end(worker)
      return () => {
        // The process may have died in the meantime.
        if (workers.get(server) !== worker) return
        worker.isRegistered = true
        for (const report of worker.waiting.splice(0)) report()
      }
    },
    setRenewable: (server, canRenew) => {
      const worker = workers.get(server)
      if (worker !== undefined) worker.canRenew = canRenew
    },
    setAvailable: remote.setAvailable,
  }
}
