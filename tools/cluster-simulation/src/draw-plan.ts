import { prefetchLimits } from '../../../packages/core/src/delivery/queues.ts'
import {
  callSteps,
  type EndpointBehavior,
  type EngineName,
  endpointFaults,
  networkFaults,
  type Operation,
  type ParticipantMove,
  type Plan,
  type PlannedSubscription,
  type Rates,
  retryAfters,
  storeFaults,
  subscriptionSteps,
  type TimedFault,
  transactionFaults,
} from './plan.ts'
import { createDraws, type Draws, type NonEmpty, type Range } from './virtual/random.ts'

/** The default size of a prefetch, read before any run changes it, because plans must not depend on earlier runs. */
const normalPrefetch = prefetchLimits.perQueue

const engines: NonEmpty<EngineName> = ['memory', 'sqlite']

/** The ranges of call steps that users perform. Half of the users perform all steps. */
const callParts: NonEmpty<Range> = [
  [0, 4],
  [0, 4],
  [0, 4],
  [0, 4],
  [0, 4],
  [0, 1],
  [0, 3],
  [1, 3],
  [1, 4],
  [2, 4],
]
const moves: NonEmpty<ParticipantMove[]> = [['join', 'leave'], ['join', 'leave'], ['leave']]
const windows: NonEmpty<number> = [300, 500, 1_000, 3_000, 20_000, 100_000, 400_000]

const list = <Item>(count: number, create: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => create(index + 1))

const drawSubscriptions = (draws: Draws): PlannedSubscription[] =>
  list(draws.between('subscriptions', [1, 3]), (number) => ({
    name: `subscription-${number}`,
    endpoint: `endpoint-${number}`,
    events: draws.isChosen('filtered', 0.15)
      ? (['GROUP_CREATED', 'CALL_ENDED', 'CALL_AI_SUMMARY'] as const)
      : 'all',
    ...(draws.isChosen('limited', 0.25) && {
      maxAttemptsPerSecond: draws.pick('attempts per second', [0.2, 1, 4, 40]),
    }),
  }))

type Names = {
  readonly servers: NonEmpty<string>
  readonly subscriptions: readonly PlannedSubscription[]
}

/** The load of a run: the period and the number of its operations, and the number of calls and groups. */
type Crowd = { readonly window: Range; readonly operations: number; readonly subjects: number }

const drawCrowd = (draws: Draws, calmAt: number): Crowd => {
  const isLarge = draws.isChosen('crowd', 0.2)
  const operations = draws.between('operations', isLarge ? [10, 24] : [1, 8])
  const subjects = draws.pick('subjects', isLarge ? [2, 20] : [3, 3, 8])
  if (!draws.isChosen('burst', isLarge ? 0.8 : 0.35)) return { window: [0, calmAt], operations, subjects }
  const from = draws.between('burst at', [0, Math.floor(calmAt / 2)])
  return { window: [from, from + draws.pick('burst for', [0, 20, 20, 200])], operations, subjects }
}

const drawOperation = (
  draws: Draws,
  { window: [from, to], subjects }: Crowd,
  { servers, subscriptions }: Names,
): Operation => {
  const at = draws.between('operation at', [from, to])
  const server = draws.pick('asked', servers)
  const callId = `call-${draws.between('call', [1, subjects])}`
  const groupId = `group-${draws.between('group', [1, subjects])}`
  const kind = draws.next('operation')
  if (kind < 0.4) {
    return {
      at,
      do: 'create a group',
      client: `client-${draws.between('client', [1, 2])}`,
      groupId: draws.isChosen('own id', 0.75) ? groupId : null,
      subject: draws.isChosen('other subject', 0.3)
        ? `Subject ${draws.between('subject', [1, 9])}`
        : `Team ${groupId}`,
      retries: draws.pick('writes', ['none', 'safe', 'always']),
    }
  }
  if (kind < 0.68) {
    const [first, end] = draws.pick('steps', callParts)
    return { at, do: 'make a call', server, callId, steps: callSteps.slice(first, end) }
  }
  if (kind < 0.76) return { at, do: 'summarize a call', server, callId }
  if (kind < 0.82) {
    const phone = `+4930123${draws.between('phone', [1, 2])}`
    return { at, do: 'move a participant', server, groupId, phone, moves: draws.pick('moves', moves) }
  }
  if (kind < 0.92) {
    const subscription = draws.pick('changed', [
      subscriptions[0]?.name ?? '',
      ...subscriptions.map(({ name }) => name),
    ])
    const change = draws.pick('change', subscriptionSteps)
    return { at, do: 'change a subscription', server, subscription, change }
  }
  if (kind < 0.96) {
    const by = draws.pick('by hand', ['send again', 'send again', 'cancel', 'retry now'] as const)
    if (by === 'cancel') return { at, do: by, server, subscription: 'subscription-1' }
    if (by === 'retry now') return { at, do: by, server }
    return { at, do: by, server, withNewId: draws.isChosen('new id', 0.3) }
  }
  if (kind < 0.98) return { at, do: 'erase a call', server, callId }
  return { at, do: 'prune', server, olderThanMs: draws.pick('prune', [0, 1_000, 60_000]) }
}

/** Draws a user who cancels deliveries, and resends them while attempts may still be in progress. */
const drawSecondThoughts = (draws: Draws, [from, to]: Range, { servers }: Names): Operation[] => {
  if (!draws.isChosen('second thoughts', 0.05)) return []
  const at = draws.between('second thoughts at', [from, to])
  const server = draws.pick('asked again', servers)
  const delayMs = draws.pick('second thoughts after', [10, 200, 2_000])
  return [
    { at, do: 'cancel', server, subscription: 'subscription-1' },
    { at: at + delayMs, do: 'send again', server, withNewId: draws.isChosen('new id again', 0.5) },
  ]
}

/** Durations of a receiver's handlers, in milliseconds. */
const handlers: NonEmpty<Range> = [
  [0, 0],
  [0, 20],
  [500, 500],
  [100, 900],
  [1_000, 20_000],
]
const slowHandlers: NonEmpty<Range> = [
  [100, 900],
  [1_000, 20_000],
  [5_000, 14_000],
]

const behaviors: NonEmpty<EndpointBehavior> = ['refuses', 'hangs', 'flaps', 409, 410, 429, 500, 500, 503]

const drawFault = (draws: Draws, calmAt: number, names: Names, engine: EngineName): TimedFault => {
  const at = draws.between('fault at', [0, calmAt])
  const forMs = draws.between('fault for', [
    1,
    draws.pick('fault scale', [300, 5_000, 90_000, 90_000, calmAt]),
  ])
  const server = draws.pick('hit', names.servers)
  const endpoint = draws.pick('endpoint hit', [
    'endpoint-1',
    ...names.subscriptions.map((each) => each.endpoint),
  ])
  const kind = draws.next('fault')
  if (kind < 0.25) return { at, forMs, fault: 'kill', server }
  if (kind < 0.35) return { at, forMs, fault: 'pause', server }
  if (kind < 0.42) return { at, forMs, fault: 'stop', server }
  if (kind < 0.47) {
    // Two steps must differ by less than the five days after which a failing subscription is disabled.
    const byMs = draws.pick('step', [-2_000, 2_000, -600_000, 600_000, 172_800_000, -172_800_000])
    return { at, forMs, fault: 'step the clock', server, byMs }
  }
  if (kind < 0.55) return { at, forMs, fault: 'store unavailable' }
  if (kind < 0.62) {
    return engine === 'sqlite'
      ? { at, forMs, fault: 'kill', server }
      : { at, forMs, fault: 'end the session', server }
  }
  if (kind < 0.72) return { at, forMs, fault: 'kill the receiver', endpoint }
  const retryAfter = draws.pick('retry after', retryAfters)
  return { at, forMs, fault: 'endpoint', endpoint, behavior: draws.pick('behavior', behaviors), retryAfter }
}

/** Draws the probability of each fault at a boundary. Most are 0, so that runs test different combinations. */
const drawRates = <Kind extends string>(
  draws: Draws,
  boundary: string,
  kinds: readonly Kind[],
): Rates<Kind> => {
  const isPossible = draws.isChosen(`${boundary} fails`, 0.6)
  const rates: { [Each in Kind]?: number } = {}
  for (const kind of kinds) {
    const rate = draws.next(`rate of ${boundary} ${kind}`) ** 2 * 0.25
    if (isPossible && draws.isChosen(`${boundary} ${kind}`, 0.4)) rates[kind] = rate
  }
  return rates
}

/** Draws a fault that makes shards move between workers. */
const drawContest = (draws: Draws, calmAt: number, { servers }: Names): TimedFault => {
  const at = draws.between('fault at', [0, calmAt])
  const server = draws.pick('hit', servers)
  const kind = draws.next('fault')
  const forMs = (range: Range): number => draws.between('fault for', range)
  if (kind < 0.2) return { at, forMs: forMs([15_000, 40_000]), fault: 'pause', server }
  if (kind < 0.25) return { at, forMs: forMs([500, 15_000]), fault: 'pause', server }
  if (kind < 0.5) return { at, forMs: forMs([15_000, 60_000]), fault: 'no renewals', server }
  if (kind < 0.75) return { at, forMs: forMs([1, 12_000]), fault: 'end the session', server }
  if (kind < 0.83) return { at, forMs: forMs([1, 5_000]), fault: 'kill', server }
  if (kind < 0.9) return { at, forMs: forMs([1, 20_000]), fault: 'stop', server }
  return { at, forMs: forMs([10_000, 40_000]), fault: 'store unavailable' }
}

/**
 * Fraction of the runs that use PGlite. Such a run takes 20 times as long as others, and the first one in a thread
 * takes another 8 seconds.
 */
const postgresRate = 0.002

export const drawPlan = (seed: number): Plan => {
  const draws = createDraws(seed)
  const engine = draws.isChosen('on PostgreSQL', postgresRate) ? 'postgres' : draws.pick('engine', engines)
  // In a contested run, shards keep moving between workers while endpoints are slow.
  const isContested = engine === 'memory' && draws.isChosen('contested', 0.3)
  const count = engine === 'sqlite' ? 1 : isContested ? 3 : draws.between('servers', [1, 3])
  // PGlite has only one session, so only one server can own shards. That server learns of the others' changes.
  const deliverRate = engine === 'postgres' ? 0 : 0.8
  const servers = list(count, (number) => ({
    name: `server-${number}`,
    delivers: number === 1 || isContested || draws.isChosen('delivers', deliverRate),
  }))
  const subscriptions = drawSubscriptions(draws)
  const names: Names = {
    servers: ['server-1', ...servers.slice(1).map(({ name }) => name)],
    subscriptions,
  }
  const calmAt = isContested
    ? draws.pick('contest', [20_000, 60_000, 100_000])
    : draws.pick('window', windows)
  const crowd = drawCrowd(draws, calmAt)
  // In a sound run, only endpoints fail, so deliveries to healthy endpoints must be on time.
  const isSound = !isContested && draws.isChosen('sound', 0.2)
  return {
    seed,
    engine,
    servers,
    subscriptions,
    calmAt,
    latency: draws.pick('latency', [0, 0, 1, 1, 4]),
    commitMs: draws.pick('commit', [0, 2, 8, 8]),
    slowMs: isContested
      ? draws.pick('slow calls', [0, 50, 300])
      : draws.pick('slow calls', [0, 0, 30, 300, 1_000]),
    slowCalls: draws.pick('which calls are slow', ['all', 'all', 'settlements', 'settlements and pages']),
    changesMs: draws.pick('late news', [0, 0, 0, 2_000]),
    pollMs: draws.pick('poll', calmAt > 3_000 ? [30_000, 300_000] : [1_000, 30_000, 30_000]),
    sharesFairly: draws.isChosen('fair', 0.7),
    prefetchSize: draws.pick('window size', [1, 3, 3, normalPrefetch]),
    handlerMs: draws.pick('handler', isContested ? slowHandlers : handlers),
    reportAfterMs: draws.pick('report after', [2_000, 20_000, 600_000]),
    operations: [
      ...list(crowd.operations, () => drawOperation(draws, crowd, names)),
      ...drawSecondThoughts(draws, crowd.window, names),
    ].sort((left, right) => left.at - right.at),
    faults: isContested
      ? list(draws.between('faults', [3, 9]), () => drawContest(draws, calmAt, names))
      : list(Math.max(0, draws.between('faults', [-2, 5])), () =>
          drawFault(draws, calmAt, names, engine),
        ).filter((fault) => !isSound || 'endpoint' in fault),
    rates: {
      store: isSound ? {} : drawRates(draws, 'store', engine === 'sqlite' ? ['aborted'] : storeFaults),
      transaction: isSound || engine !== 'sqlite' ? {} : drawRates(draws, 'transaction', transactionFaults),
      network: isSound ? {} : drawRates(draws, 'network', networkFaults),
      endpoint: drawRates(draws, 'endpoint', endpointFaults),
    },
  }
}
