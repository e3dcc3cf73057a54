import type { HealthEvent } from '@wabakit/contract'
import { callListener } from '../events/call-listener.ts'
import type { AttemptVerdict, DeliveryQueue, LoadedDelivery, SettlementOutcome } from '../store.ts'
import type { Clock } from '../values/clock.ts'
import type { Random } from '../values/ids.ts'
import { type AttemptContext, attemptDelivery } from './attempt.ts'
import { decideResult, failingLimitMs } from './schedule.ts'
import { createSettlementWriter } from './settlement-writer.ts'
import { createShortages } from './shortage.ts'
import type { Attempting, Ended, Settling } from './states.ts'

/** An attempt and its recorded outcome. */
export type AttemptReported = {
  readonly attempted: LoadedDelivery
  /** `released` if the attempt was stopped before it had a result, or failed because of this machine. */
  readonly result: AttemptVerdict | { readonly kind: 'released' }
  /** `stale` if nothing was recorded: the delivery has another worker, has changed, or was released. */
  readonly settlement: SettlementOutcome
}

/** Duration in milliseconds after which an attempt is slow and, with `sharesFairly`, moves to a slow slot. */
const slowAfterMs = 500

type SendingContext = Omit<AttemptContext, 'slowAfterMs' | 'onSlow' | 'stopping'> & {
  readonly store: Pick<DeliveryQueue, 'settleDeliveries'>
  readonly clock: Clock
  readonly random: Random
  readonly sharesFairly: boolean
  /** Maximum time for retrying a failed batch of results, in milliseconds. */
  readonly retryForMs: number
  readonly isStarted: () => boolean
  readonly onError: (error: unknown) => void
}

/** Makes the attempts that a scheduler starts, writes their results, and reports both to listeners. */
export const createSending = (context: SendingContext) => {
  const { store, clock, random, sharesFairly, retryForMs, isStarted, onError } = context
  const attemptListeners = new Set<(report: AttemptReported) => void>()
  const healthListeners = new Set<(event: HealthEvent) => void>()
  const shortages = createShortages(onError)
  const writer = createSettlementWriter(store, { clock, retryForMs, mayDelayFailures: isStarted })

  const emit = <Value>(listeners: Iterable<(value: Value) => void>, value: Value): void => {
    for (const listener of listeners) callListener(() => listener(value), onError)
  }

  const addListener = <Value>(listeners: Set<Value>, listener: Value): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  return {
    attempt: async ({ attempted, slot, stopping }: Attempting): Promise<Ended> => {
      let isSlow = false
      const onSlow = (): void => {
        isSlow = true
        if (sharesFairly) slot.moveToSlow()
      }
      const made = await attemptDelivery(attempted, { ...context, slowAfterMs, onSlow, stopping })
      // `runDue` settles such a failure: otherwise a test that calls it would wait forever.
      const shortage = isStarted() && !stopping.isStopped() ? made.shortage : undefined
      // Others may use its slot in the meantime: an endpoint that has an open connection needs no new descriptor.
      if (shortage !== undefined) slot.moveToSlow()
      slot.free()
      if (shortage !== undefined) await shortages.wait(shortage, stopping)
      if (shortage !== undefined || (stopping.isStopped() && made.attempt.status === null)) {
        emit(attemptListeners, {
          attempted,
          result: { kind: 'released' },
          settlement: { outcome: 'stale' },
        })
        return { result: undefined, isSlow }
      }
      return { result: decideResult(attempted.delivery, made, random), isSlow }
    },
    settle: async (
      { key, attempted, result, pace }: Settling,
      isAlone: boolean,
    ): Promise<SettlementOutcome> => {
      const { delivery } = attempted
      const now = clock.now()
      const settlement = await writer.write({ ...key, delivery, now, result, pace, failingLimitMs }, isAlone)
      emit(attemptListeners, { attempted, result, settlement })
      if (settlement.outcome === 'settled')
        for (const event of settlement.health) emit(healthListeners, event)
      return settlement
    },
    isSettling: writer.isWriting,
    setRetrying: writer.setRetrying,
    findShortage: shortages.find,
    onAttempt: (listener: (report: AttemptReported) => void) => addListener(attemptListeners, listener),
    onHealth: (listener: (event: HealthEvent) => void) => addListener(healthListeners, listener),
  }
}
