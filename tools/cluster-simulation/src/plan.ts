// A plan determines a run completely. It consists of JSON, so runs can be saved and repeated.

import type { DeliveryRecord } from '@wabakit/core'
import type { NonEmpty, Range } from './virtual/random.ts'

/** The kind of store. Several processes can share `memory` and `postgres`, but `sqlite` serves one process. */
export type EngineName = 'memory' | 'sqlite' | 'postgres'

/** The steps of a call, in order. */
export const callSteps = ['start', 'accept', 'end', 'summarize'] as const
export type CallStep = (typeof callSteps)[number]

type GroupCreation = {
  readonly do: 'create a group'
  readonly client: string
  /** With `null`, the client generates an id. */
  readonly groupId: string | null
  readonly subject: string
  readonly retries: 'none' | 'safe' | 'always'
}

type OnServer =
  | { readonly do: 'make a call'; readonly callId: string; readonly steps: readonly CallStep[] }
  | { readonly do: 'summarize a call' | 'erase a call'; readonly callId: string }
  | {
      readonly do: 'move a participant'
      readonly groupId: string
      readonly phone: string
      readonly moves: readonly ParticipantMove[]
    }
  | { readonly do: 'change a subscription'; readonly subscription: string; readonly change: SubscriptionStep }
  | { readonly do: 'send again'; readonly withNewId: boolean }
  | { readonly do: 'cancel'; readonly subscription: string }
  | { readonly do: 'retry now' }
  | { readonly do: 'prune'; readonly olderThanMs: number }

/** An action of a user, `at` milliseconds after the start of the run. `server` is the process that performs it. */
export type Operation = { readonly at: number } & (GroupCreation | (OnServer & { readonly server: string }))

export type ParticipantMove = 'join' | 'leave'

/** The changes to subscriptions. Users choose `enable` twice as often as any other change. */
export const subscriptionSteps = [
  'rotate the secret',
  'change the URL',
  'limit the attempts',
  'disable',
  'enable',
  'enable',
  'remove',
] as const
export type SubscriptionStep = (typeof subscriptionSteps)[number]

/** The values of `maxAttemptsPerSecond` that users choose from. `null` means no maximum. */
export const attemptLimits: NonEmpty<number | null> = [0.2, 1, 4, 40, null]

export type EndpointBehavior = 'refuses' | 'hangs' | 'flaps' | 409 | 410 | 429 | 500 | 503

/** A fault that starts `at` milliseconds after the start of the run, and lasts `forMs` milliseconds. */
export type TimedFault = { readonly at: number; readonly forMs: number } & (
  | { readonly fault: 'kill' | 'pause' | 'stop'; readonly server: string }
  | { readonly fault: 'step the clock'; readonly server: string; readonly byMs: number }
  | { readonly fault: 'store unavailable' }
  | { readonly fault: 'end the session' | 'no renewals'; readonly server: string }
  | {
      readonly fault: 'endpoint'
      readonly endpoint: string
      readonly behavior: EndpointBehavior
      readonly retryAfter: string | null
    }
  | { readonly fault: 'kill the receiver'; readonly endpoint: string }
)

export const storeFaults = [
  'refused',
  'aborted',
  'commit lost',
  'response lost',
  'late commit',
  'slow',
  'dies before',
  'dies after',
  'stands still',
  'late response',
] as const
export const networkFaults = [
  'request lost',
  'response lost',
  'delayed',
  'duplicated',
  'truncated',
  'dies before',
  'dies after',
  'stands still',
] as const
export const transactionFaults = [
  'busy',
  'write fails',
  'disk full',
  'commit refused',
  'commit lost',
  'dies before',
  'dies after',
] as const

export const endpointFaults = ['refuses', 'hangs', '409', '410', '429', '500', '503'] as const

/** The values of `Retry-After` that endpoints send. `null` means no header. */
export const retryAfters: NonEmpty<string | null> = ['0', '1', '7', '60', '400', null, 'soon']

export type StoreFault = (typeof storeFaults)[number]
export type NetworkFault = (typeof networkFaults)[number]
export type TransactionFault = (typeof transactionFaults)[number]
export type EndpointFault = (typeof endpointFaults)[number]

/** The probabilities of faults, from 0 to 1. */
export type Rates<Kind extends string> = { readonly [Each in Kind]?: number }

/**
 * A fault of one call. `server-1 settleDeliveries #3` is the third such call of `server-1`. A name without a number
 * means the first such call at least `from` milliseconds after the start of the run.
 */
export type CallFault = {
  readonly on: string
  readonly from?: number
  readonly fault: StoreFault | NetworkFault | TransactionFault | EndpointFault
}

export type Fault = TimedFault | CallFault

/** A subscription. The names of the subscription and its endpoint contain the same number. */
export type PlannedSubscription = {
  readonly name: string
  readonly endpoint: string
  /** @default no maximum */
  readonly maxAttemptsPerSecond?: number
  readonly events: 'all' | readonly ('GROUP_CREATED' | 'CALL_ENDED' | 'CALL_AI_SUMMARY')[]
}

export type Plan = {
  readonly seed: number
  readonly engine: EngineName
  /** The processes. All of them serve requests, and some also deliver. */
  readonly servers: readonly { readonly name: string; readonly delivers: boolean }[]
  readonly subscriptions: readonly PlannedSubscription[]
  /** Time at which all faults end and the calm starts, in milliseconds since the start of the run. */
  readonly calmAt: number
  /** A factor for the travel times of messages and store calls. 0 means that they arrive immediately. */
  readonly latency: number
  /** Duration of a SQLite commit, which blocks its process, in milliseconds. */
  readonly commitMs: number
  /** Maximum time that a slow store call takes in addition to its latency, in milliseconds. */
  readonly slowMs?: number
  /** The schedulers' store calls that can be slow. @default 'all' */
  readonly slowCalls?: 'all' | 'settlements' | 'settlements and pages'
  /** Maximum delay of reported changes in addition to the latency, in milliseconds. */
  readonly changesMs?: number
  readonly pollMs: number
  readonly sharesFairly: boolean
  /** Maximum number of deliveries per subscription that a server holds in memory. */
  readonly prefetchSize: number
  /** Time after which a failing subscription is reported, in milliseconds. @default the documented time */
  readonly reportAfterMs?: number
  /** Minimum and maximum duration of receiver handlers, in milliseconds. */
  readonly handlerMs: Range
  readonly operations: readonly Operation[]
  readonly faults: readonly Fault[]
  /** Rates of random call faults, or `null` if only the planned faults occur. */
  readonly rates: {
    readonly store: Rates<StoreFault>
    readonly transaction: Rates<TransactionFault>
    readonly network: Rates<NetworkFault>
    readonly endpoint: Rates<EndpointFault>
  } | null
}

/**
 * Computes the longest delay that the rate limit of a subscription can have caused, in milliseconds. Counts all attempts
 * so far, and one more for each delivery.
 */
export const getHeldUpMs = (
  { subscriptions, operations }: Plan,
  id: string,
  deliveries: readonly DeliveryRecord[],
): number => {
  const isChanged = operations.some(
    (each) =>
      each.do === 'change a subscription' && each.change === 'limit the attempts' && each.subscription === id,
  )
  const planned = subscriptions.find(({ name }) => name === id)?.maxAttemptsPerSecond ?? Infinity
  const chosen = isChanged ? attemptLimits.map((limit) => limit ?? Infinity) : []
  const attempts = deliveries.map((each) => (each.subscriptionId === id ? each.attempts + 1 : 0))
  return (attempts.reduce((sum, count) => sum + count, 0) * 1_000) / Math.min(planned, ...chosen)
}

export const isCallFault = (fault: Fault): fault is CallFault => 'on' in fault
