import { StorageOutcomeUnknownError, StorageUnavailableError, type Store } from '@wabakit/core'
import type { RunContext } from '../cluster/run-context.ts'
import { type Rates, type StoreFault, storeFaults } from '../plan.ts'
import type { StoreUser } from './engine.ts'

/** A call to a store over a network. */
export type RemoteCall = {
  readonly name: string
  /** Set if the call changes nothing, so that its outcome cannot be unknown. */
  readonly isRead: boolean
  /** Creates the error of an aborted transaction. */
  createAbort?(): Error
}

/** Carries calls to a store that several processes share. */
export type RemoteCalls = {
  /** Sends a call, executes it, and returns the result. Each step can fail, and the process can die between steps. */
  send<Result>(user: StoreUser, call: RemoteCall, execute: () => Promise<Result>): Promise<Result>
  /** Returns a store that sends every call over the network. */
  wrap(user: StoreUser, store: Store): Store
  isAvailable(): boolean
  setAvailable(isAvailable: boolean): void
}

const refuse = (why: string): Error => new StorageUnavailableError(`Simulated: ${why}.`)
const loseOutcome = (why: string): Error => new StorageOutcomeUnknownError(`Simulated: ${why}.`)

const slowMethods = {
  all: /^(?:readQueues|readHeads|readRetries|loadDeliveries|settleDeliveries|renewWorker)$/,
  settlements: /^settleDeliveries$/,
  'settlements and pages': /^(?:settleDeliveries|readHeads|readRetries)$/,
}

const isReadMethod = (method: string): boolean => /^(?:find|list|nextDueAt|measure|read|load)/.test(method)

export const createRemoteCalls = (run: RunContext): RemoteCalls => {
  const { plan, draws, scheduler, faults } = run
  const storeOwner = { name: 'store', state: 'running' as const, held: [] }
  let isAvailable = true
  let underWay = 0

  /** Returns the fault rates. Transactions are aborted more often while others are under way. */
  const getRates = (): Rates<StoreFault> | undefined => {
    const rates = plan.rates?.store
    if (rates?.aborted === undefined || underWay === 0) return rates
    return { ...rates, aborted: Math.min(0.5, 3 * rates.aborted) }
  }

  const send: RemoteCalls['send'] = (user, { name: method, isRead, createAbort }, execute) =>
    new Promise((resolve, reject) => {
      const name = `${user.name} ${method}`
      const fault: StoreFault | undefined = faults.decide(name, storeFaults, getRates())
      underWay++
      const { slowMs = 0, slowCalls = 'all' } = plan
      const drawSlowMs = (): number =>
        slowMs > 0 && slowMethods[slowCalls].test(method) ? draws.between(`${name} slowly`, [0, slowMs]) : 0
      const reply = (settle: () => void): void => {
        underWay--
        const lateMs = fault === 'late response' ? draws.between(`${name} late`, [500, 20_000]) : 0
        const delayMs = lateMs + drawSlowMs() + run.travel(`${name} replies`, 2)
        if (fault !== undefined) run.noteTrouble(delayMs)
        scheduler.schedule({ owner: user.owner, delayMs, label: `result of ${method}` }, settle)
      }
      const fail = (why: string, error: Error): void => {
        run.note(`${user.name}: ${method}: ${why}`)
        reply(() => reject(error))
      }
      const lose = (why: string): void => fail(why, isRead ? refuse(why) : loseOutcome(why))
      const refuseAll = (why: string): void => fail(why, refuse(why))

      const arrive = async (): Promise<void> => {
        if (!isAvailable || fault === 'refused') return refuseAll('the store is unavailable')
        if (fault === 'aborted') {
          const why = 'the transaction is aborted'
          return fail(why, createAbort?.() ?? refuse(why))
        }
        if (fault === 'commit lost') return lose('the commit is lost')
        // Only settlements may be committed late, because turn and epoch reveal that they are stale.
        if (fault === 'late commit' && method === 'settleDeliveries') {
          const lateMs = draws.between(`${name} commits late`, [500, 20_000])
          run.noteTrouble(lateMs)
          scheduler.schedule(
            { owner: storeOwner, delayMs: lateMs, label: `${name} commits` },
            () => void execute(),
          )
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
        underWay--
        run.kill(user.name)
        return
      }
      const delayMs =
        fault === 'slow' ? draws.between(`${name} slow`, [500, 20_000]) : drawSlowMs() + run.travel(name, 2)
      if (fault !== undefined) run.noteTrouble(delayMs)
      scheduler.schedule({ owner: storeOwner, delayMs, label: name }, () => void arrive())
    })

  return {
    send,
    wrap: (user, store) => {
      const methods = Object.entries(store).flatMap(([name, method]: [string, unknown]) => {
        if (typeof method !== 'function') return []
        const call = (...values: unknown[]): Promise<unknown> =>
          send(user, { name, isRead: isReadMethod(name) }, async () => Reflect.apply(method, store, values))
        return [[name, call] as const]
      })
      return { ...store, ...Object.fromEntries(methods), close: async () => {} }
    },
    isAvailable: () => isAvailable,
    setAvailable: (available) => {
      isAvailable = available
    },
  }
}
