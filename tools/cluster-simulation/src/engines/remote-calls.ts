import { StorageOutcomeUnknownError, StorageUnavailableError, type Store } from '@wabakit/core'
import type { RunContext } from '../cluster/run-context.ts'
import { type Rates, type StoreFault, storeFaults } from '../plan.ts'
import { createOwner } from '../virtual/event-loop.ts'
import type { StoreUser } from './engine.ts'

const refuse = (why: string): Error => new StorageUnavailableError(`Simulated: ${why}.`)
const loseOutcome = (why: string): Error => new StorageOutcomeUnknownError(`Simulated: ${why}.`)

const slowMethods = {
  all: /^(?:readQueues|readHeads|readRetries|loadDeliveries|settleDeliveries|renewWorker)$/,
  settlements: /^settleDeliveries$/,
  'settlements and pages': /^(?:settleDeliveries|readHeads|readRetries)$/,
}

/** Matches methods that only read. The outcome of such a call is never unknown. */
const readMethods = /^(?:find|list|nextDueAt|measure|read|load)/

/** Creates the network between processes and the store that they share. */
export const createRemoteCalls = (run: RunContext) => {
  const { plan, draws, loop, faults } = run
  const storeOwner = createOwner('store')
  let isAvailable = true
  let inProgress = 0

  /** Returns the rates of faults. While other calls are in progress, transactions are aborted more often. */
  const getRates = (): Rates<StoreFault> | undefined => {
    const rates = plan.rates?.store
    if (rates?.aborted === undefined || inProgress === 0) return rates
    return { ...rates, aborted: Math.min(0.5, 3 * rates.aborted) }
  }

  /** Sends a call, executes it, and returns the result. Each step can fail, and the process can die in between. */
  const send = <Result>(user: StoreUser, method: string, execute: () => Promise<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      const name = `${user.name} ${method}`
      const fault: StoreFault | undefined = faults.decide(name, storeFaults, getRates())
      inProgress++
      const { slowMs = 0, slowCalls = 'all' } = plan
      const drawSlowMs = (): number =>
        slowMs > 0 && slowMethods[slowCalls].test(method) ? draws.between(`${name} slowly`, [0, slowMs]) : 0
      const reply = (settle: () => void): void => {
        inProgress--
        const lateMs = fault === 'late response' ? draws.between(`${name} late`, [500, 20_000]) : 0
        const delayMs = lateMs + drawSlowMs() + run.travel(`${name} replies`, 2)
        loop.schedule({ owner: user.owner, delayMs, label: `result of ${method}` }, settle)
      }
      const fail = (why: string, toError: (why: string) => Error): void => {
        run.note(`${user.name}: ${method}: ${why}`)
        reply(() => reject(toError(why)))
      }
      const lose = (why: string): void => fail(why, readMethods.test(method) ? refuse : loseOutcome)

      const arrive = async (): Promise<void> => {
        if (!isAvailable || fault === 'refused') return fail('the store is unavailable', refuse)
        if (fault === 'aborted') return fail('the transaction is aborted', refuse)
        if (fault === 'commit lost') return lose('the commit is lost')
        // Only settlements may be committed late, because the store recognizes stale settlements by their version and
        // epoch.
        if (fault === 'late commit' && method === 'settleDeliveries') {
          const delayMs = draws.between(`${name} commits late`, [500, 20_000])
          loop.schedule({ owner: storeOwner, delayMs, label: `${name} commits` }, () => void execute())
          return lose('the connection is lost before it is committed')
        }
        try {
          const result = await execute()
          if (fault === 'response lost') lose('it is committed, but the response is lost')
          else reply(() => resolve(result))
        } catch (error) {
          reply(() => reject(error))
        }
        if (fault === 'dies after') run.kill(user.name)
        if (fault === 'stands still') run.pause(user.name)
      }
      if (fault === 'dies before') {
        inProgress--
        run.kill(user.name)
        return
      }
      const delayMs =
        fault === 'slow' ? draws.between(`${name} slow`, [500, 20_000]) : drawSlowMs() + run.travel(name, 2)
      loop.schedule({ owner: storeOwner, delayMs, label: name }, () => void arrive())
    })

  return {
    wrap: (user: StoreUser, store: Store): Store => {
      const methods = Object.entries(store).flatMap(([name, method]: [string, unknown]) => {
        if (typeof method !== 'function') return []
        const call = (...values: unknown[]): Promise<unknown> =>
          send(user, name, async () => Reflect.apply(method, store, values))
        return [[name, call] as const]
      })
      return { ...store, ...Object.fromEntries(methods), close: async () => {} }
    },
    setAvailable: (available: boolean): void => {
      isAvailable = available
    },
  }
}
