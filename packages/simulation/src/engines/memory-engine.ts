import { memoryStore, StorageOutcomeUnknownError, StorageUnavailableError, type Store } from '@wabakit/core'
import { createServiceClock } from '@wabakit/core/hosting'
import { getTrueTime, type RunContext } from '../cluster/run-context.ts'
import { type StoreFault, storeFaults } from '../plan.ts'
import type { Engine, StoreUser } from './engine.ts'
import { observeCommits, observePromises } from './observed-store.ts'
import { useClockOfStore } from './shared-clock.ts'

/** Methods that change nothing: they cannot leave an unknown outcome. */
const isRead = (method: string): boolean => /^(?:find|list|nextDueAt|measure)/.test(method)

const refuse = (why: string): StorageUnavailableError => new StorageUnavailableError(`Simulated: ${why}.`)
const loseOutcome = (why: string): StorageOutcomeUnknownError =>
  new StorageOutcomeUnknownError(`Simulated: ${why}.`)

/**
 * The memory store as a database that several processes share: each call is sent to it, waits, is executed, and its result
 * is sent back. Between these, and with each of them, things go wrong.
 */
export const createMemoryEngine = (run: RunContext): Engine => {
  const { plan, draws, scheduler, faults } = run
  const base = memoryStore()
  const clocked = useClockOfStore(base, () => getTrueTime(run))
  const rate = plan.rates?.store ?? 0
  const storeOwner = { name: 'store', state: 'running' as const, held: [] }
  let isAvailable = true

  /** Sends a call to the store. */
  const send = <Result>(user: StoreUser, method: string, execute: () => Promise<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      const name = `${user.name} ${method}`
      const fault: StoreFault | undefined = faults.decide(name, storeFaults, rate)
      const reply = (settle: () => void): void => {
        const delayMs = draws.between(`${name} replies`, [0, 2])
        scheduler.schedule({ owner: user.owner, delayMs, label: `result of ${method}` }, settle)
      }
      const fail = (why: string, isCommitPossible: boolean): void => {
        run.note(`${user.name}: ${method}: ${why}`)
        reply(() => reject(isCommitPossible && !isRead(method) ? loseOutcome(why) : refuse(why)))
      }
      const deliver = async (): Promise<void> => {
        if (!isAvailable || fault === 'refused') return fail('the store is unavailable', false)
        if (fault === 'aborted') return fail('the transaction is aborted', false)
        if (fault === 'commit lost') return fail('the commit is lost', true)
        try {
          const result = await execute()
          if (fault === 'response lost') fail('it is committed, but the response is lost', true)
          else reply(() => resolve(result))
        } catch (error) {
          reply(() => reject(error))
        }
        if (fault === 'dies after') run.kill(user.name)
      }
      if (fault === 'dies before') return run.kill(user.name)
      const delayMs =
        fault === 'slow' ? draws.between(`${name} slow`, [500, 20_000]) : draws.between(name, [0, 2])
      scheduler.schedule(
        { owner: storeOwner, delayMs, label: `${user.name} ${method}` },
        () => void deliver(),
      )
    })

  const connect = (user: StoreUser): Store => {
    const store = observeCommits(clocked, run, user.name)
    const remote = new Proxy(store, {
      get:
        (_, method: keyof Store) =>
        (...values: unknown[]) =>
          send(user, method, async () => Reflect.apply(store[method], store, values)),
    })
    const methods = Object.keys(store).map((method) => [method, Reflect.get(remote, method)])
    return {
      ...store,
      ...Object.fromEntries(methods),
      onDue: (wake) =>
        base.onDue(() => {
          if (faults.decide(`${user.name} wakes`, ['response lost'], rate) !== undefined) return
          const delayMs = draws.between('wake', [0, 5])
          scheduler.schedule({ owner: user.owner, delayMs, label: 'wake' }, () => void wake())
        }),
      registerWorker: store.registerWorker,
      close: async () => {},
    }
  }

  return {
    committed: base,
    open: (user) => ({
      store: observePromises(connect(user), run, user.name),
      clock: createServiceClock({ wall: user.wall, elapsed: user.elapsed, startAt: getTrueTime(run) }),
    }),
    abandon: () => {},
    setAvailable: (available) => {
      isAvailable = available
    },
  }
}
