import type { AttemptVerdict } from '@wabakit/core'
import type { Invariant, InvariantContext } from './invariant.ts'

const once = 'operators are notified once of each health change'
const alternates = '`failing` and `recovered` of a subscription alternate'

/** Copied from docs/rules.md instead of the code, so that the invariant detects a wrong limit. */
export const reportAfterMs = 10 * 60_000

type Settled = {
  readonly kind: AttemptVerdict['kind']
  readonly startedAt: number
  readonly at: number
  readonly isExhausted: boolean
  readonly isDisabled: boolean
}

const isFailure = ({ kind }: Settled): boolean => ['retry', 'exhausted', 'gone'].includes(kind)

const isTrouble = (name: string | undefined): boolean =>
  name === 'subscription.failing' || name === 'subscription.disabled'

/** Predicts the health events of a subscription from all its settlements, without the stored state. */
const predict = (history: readonly Settled[], reportMs: number): string[] | 'unclear' => {
  const told: string[] = []
  for (const [index, settled] of history.entries()) {
    const lastSuccess = history.slice(0, index).findLastIndex(({ kind }) => kind === 'delivered')
    const first = history.slice(lastSuccess + 1, index + 1).find(isFailure)
    const failingMs = isFailure(settled) && first !== undefined ? settled.at - first.startedAt : 0
    // The clocks may differ by up to a tenth of the limit.
    if (Math.abs(failingMs - reportMs) < reportMs / 10) return 'unclear'
    const isOpen = !history.slice(0, index).some(({ isDisabled }) => isDisabled)
    const isKnown = isTrouble(told.findLast((name) => name !== 'delivery.exhausted'))
    const isFailing = settled.kind !== 'gone' && (settled.isExhausted || failingMs >= reportMs)
    if (settled.isExhausted) told.push('delivery.exhausted')
    if (isOpen && !isKnown && isFailing) told.push('subscription.failing')
    if (settled.isDisabled) told.push('subscription.disabled')
    if (isOpen && isKnown && settled.kind === 'delivered') told.push('subscription.recovered')
  }
  return told
}

/**
 * Checks that health events follow from the settlements. If a user has changed the subscription, or a process has died
 * on SQLite, unobserved commits may have caused events. In these cases, checks only the order of the events.
 */
export const createHealthInvariant = ({ plan, violate, now, hasSeen }: InvariantContext): Invariant => {
  const histories = new Map<string, Settled[]>()
  const unclear = new Set<string>()

  return {
    on: {
      'subscription changing': ({ id }) => unclear.add(id),
      settled: ({ outcome, settlement: { result, delivery, now: settledAt } }) => {
        if (outcome.outcome === 'stale') return
        const history = histories.get(delivery.subscriptionId) ?? []
        histories.set(delivery.subscriptionId, history)
        history.push({
          kind: result.kind,
          startedAt: result.attempt.startedAt,
          // A shared store uses its own clock.
          at: plan.engine === 'memory' ? now() : settledAt,
          isExhausted: outcome.delivery.status === 'exhausted',
          isDisabled: outcome.disabled !== null,
        })
      },
    },
    finish: ({ events, subscriptions, prunedBefore }) => {
      if (prunedBefore > 0) return
      const hasMissed = plan.engine === 'sqlite' && hasSeen('server ended')
      for (const { id, isReported, channel } of subscriptions) {
        const told = events.flatMap((each) => (each.subject === `subscription:${id}` ? each.name : []))
        const turns = told.filter((name) => name !== 'delivery.exhausted' && name !== 'subscription.disabled')
        const isRepeated = turns.some((name, index) => name === turns[index + 1])
        if (isRepeated && !told.includes('subscription.disabled'))
          violate(alternates, `${id}: ${told.join(', ')}`)
        const isTold = isTrouble(told.findLast((name) => name !== 'delivery.exhausted'))
        if (isTold !== isReported)
          violate(alternates, `the health of ${id} does not match its events: ${told.join(', ')}`)
        const history = channel === 'OPERATIONS' ? [] : (histories.get(id) ?? [])
        const expected =
          unclear.has(id) || hasMissed ? 'unclear' : predict(history, plan.reportAfterMs ?? reportAfterMs)
        if (expected === 'unclear' || expected.join() === told.join()) continue
        violate(once, `${id}: ${told.join(', ') || 'nothing'} instead of ${expected.join(', ') || 'nothing'}`)
      }
    },
  }
}
