import { prefetchLimits } from '../../../packages/core/src/delivery/queues.ts'
import { healthLimits } from '../../../packages/core/src/storage/decide-health.ts'
import { createCallFaults } from './cluster/call-faults.ts'
import { createEndpoints } from './cluster/endpoints.ts'
import { watchLiveness } from './cluster/liveness.ts'
import { createOperations } from './cluster/operations.ts'
import { organizationId, setUpOrganization, startTime } from './cluster/organization.ts'
import type { RunContext } from './cluster/run-context.ts'
import { type Cluster, createServers, type Servers } from './cluster/servers.ts'
import { scheduleFaults } from './cluster/timed-faults.ts'
import type { SimulatedEngine } from './engines/engine.ts'
import { createMemoryEngine } from './engines/memory-engine.ts'
import { createPostgresEngine } from './engines/postgres/postgres-engine.ts'
import { openEmptyDatabase, type SharedDatabase } from './engines/postgres/shared-database.ts'
import { createSqliteEngine } from './engines/sqlite/sqlite-engine.ts'
import type { HistoryEntry } from './histories/history.ts'
import { reportAfterMs } from './invariants/health.ts'
import { createInvariants } from './invariants/index.ts'
import type { Plan } from './plan.ts'
import { createEventLoop, createOwner } from './virtual/event-loop.ts'
import { createDraws, type NonEmpty, type Range } from './virtual/random.ts'
import { useVirtualTimers } from './virtual/timers.ts'
import { createTrace } from './virtual/trace.ts'

const createEngine = (run: RunContext, postgres: SharedDatabase | undefined): SimulatedEngine => {
  if (postgres !== undefined) return createPostgresEngine(run, postgres)
  return run.plan.engine === 'memory' ? createMemoryEngine(run) : createSqliteEngine(run)
}

export type Violation = { readonly invariant: string; readonly what: string }

export type RunResult = Awaited<ReturnType<typeof runPlan>>

export type RunOptions = {
  /** Keeps the lines of the trace. @default false */
  readonly keepsTrace?: boolean
  /** Called with each call that a store has executed. */
  record?(entry: HistoryEntry, step: number): void
}

/** Durations for which a process is paused, in milliseconds. The longer ones exceed its lease. */
const standstills: NonEmpty<Range> = [
  [1, 5_000],
  [21_000, 35_000],
]

/** Downtimes of a process that was killed, in milliseconds. */
const downtimes: NonEmpty<Range> = [
  [1, 5_000],
  [1, 5_000],
  [10_000, 60_000],
]

/** Maximum number of tasks in a run. A cluster without bugs needs far fewer. */
const maximumSteps = 400_000

/** Runs a plan. All runs of a plan are identical. A thread can run only one plan at a time. */
export const runPlan = async (plan: Plan, { keepsTrace = false, record }: RunOptions = {}) => {
  // This takes real time, so it has to end before the virtual time starts.
  const postgres = plan.engine === 'postgres' ? await openEmptyDatabase() : undefined
  const draws = createDraws(plan.seed)
  const trace = createTrace(keepsTrace)
  const loop = createEventLoop(draws, ({ owner, label }) =>
    trace.add(`${loop.now()} ${owner.name}: ${label}`),
  )
  useVirtualTimers(loop)
  prefetchLimits.perQueue = plan.prefetchSize
  healthLimits.reportAfterMs = plan.reportAfterMs ?? reportAfterMs
  const faults = createCallFaults(plan, draws, loop.now)
  const operator = createOwner('operator')
  const notes: string[] = []
  let violation: Violation | undefined
  let isOver = false
  let deliveryCount = 0

  const violate = (invariant: string, what: string): void => {
    violation ??= { invariant, what }
    isOver = true
  }
  const now = (): number => startTime + loop.now()
  const invariants = createInvariants({ plan, violate, now })
  const run: RunContext = {
    plan,
    draws,
    loop,
    faults,
    now,
    record: record && ((entry) => record(entry, loop.steps())),
    observe: (observation) => {
      if (observation.kind === 'server ended')
        run.record?.({ server: observation.server, method: 'process ended' })
      trace.add(observation.kind)
      invariants.observe(observation)
    },
    note: (text) => {
      trace.add(text)
      notes.push(`${(loop.now() / 1_000).toFixed(3)} s  ${text}`)
    },
    travel: (label, maximumMs) => Math.round(draws.between(label, [0, maximumMs]) * plan.latency),
    kill: (name) => {
      run.note(`${name} dies`)
      servers.kill(name)
      const delayMs = draws.between('starts again', draws.pick('downtime', downtimes))
      loop.schedule({ owner: operator, delayMs, label: 'start' }, () => servers.start(name))
    },
    pause: (name) => {
      run.note(`${name} is paused`)
      servers.pause(name)
      const delayMs = draws.between('stands still', draws.pick('standstill', standstills))
      loop.schedule({ owner: operator, delayMs, label: 'resume' }, () => servers.resume(name))
    },
  }
  const engine = createEngine(run, postgres)
  const endpoints = createEndpoints(run)
  const servers: Servers = createServers(run, { engine, endpoints })
  const cluster: Cluster = { ...run, engine, endpoints, servers }
  const operations = createOperations(cluster)

  loop.schedule({ delayMs: 0, label: 'set up' }, () => {
    void setUpOrganization(engine.committed, plan).then(() => {
      for (const { name } of plan.servers) servers.start(name)
    })
  })
  for (const operation of plan.operations) {
    loop.schedule({ delayMs: operation.at + 1, label: 'user' }, () => operations.start(operation))
  }
  scheduleFaults(cluster)
  loop.schedule({ delayMs: plan.calmAt + 1, label: 'calm' }, () => {
    run.note('all faults stop')
    faults.stop()
    engine.setAvailable(true)
    servers.heal()
    for (const endpoint of endpoints.values()) {
      endpoint.behave(undefined)
      endpoint.start()
    }
  })
  watchLiveness(cluster, {
    violate,
    haveUsersEnded: operations.haveEnded,
    onSettled: async (deliveries) => {
      deliveryCount = deliveries.length
      const { committed } = engine
      const { items: events } = await committed.listEvents({ organizationId, limit: 1_000 })
      const { items: subscriptions } = await committed.listSubscriptions(organizationId, { limit: 1_000 })
      await invariants.finish({ events, deliveries, subscriptions, endpoints, committed })
      isOver = true
    },
  })

  const onRejection = (reason: unknown): void => {
    violate('there are no unexpected errors', reason instanceof Error ? (reason.stack ?? '') : String(reason))
  }
  process.on('unhandledRejection', onRejection)
  try {
    await loop.run(() => isOver || loop.steps() > maximumSteps)
  } finally {
    process.off('unhandledRejection', onRejection)
  }
  if (!isOver)
    violate(
      'when faults stop, everything settles',
      `no task is left, or the maximum was reached: ${loop.steps()} tasks`,
    )
  return {
    violation,
    /** The hash of the trace, which is the same for all runs of a plan. */
    traceHash: trace.hash(),
    /** The lines of the trace, if `keepsTrace` is set. */
    trace: trace.lines,
    /** Descriptions of the operations and faults that occurred. */
    notes,
    callFaults: faults.happened,
    /** The duration of the run in virtual time, in milliseconds. */
    virtualMs: loop.now(),
    /** The number of tasks that ran. */
    steps: loop.steps(),
    deliveries: deliveryCount,
  }
}
