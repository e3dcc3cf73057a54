import { type Fault, isCallFault, type Operation, type Plan } from './plan.ts'
import { type RunResult, runPlan, type Violation } from './run-plan.ts'

export type Failure = { readonly plan: Plan; readonly violation: Violation; readonly result: RunResult }

type Entry = { readonly operation: Operation } | { readonly fault: Fault }

const listEntries = ({ operations, faults }: Plan): Entry[] => [
  ...operations.map((operation) => ({ operation })),
  ...faults.map((fault) => ({ fault })),
]

const withEntries = (plan: Plan, entries: readonly Entry[]): Plan => ({
  ...plan,
  operations: entries.flatMap((entry) => ('operation' in entry ? [entry.operation] : [])),
  faults: entries.flatMap((entry) => ('fault' in entry ? [entry.fault] : [])),
})

/** Lists the operations and faults of a plan, except a range of them. */
const dropEntries = (plan: Plan, stretch: { readonly from: number; readonly length: number }): Entry[] =>
  listEntries(plan).filter((_, index) => index < stretch.from || index >= stretch.from + stretch.length)

export const countEntries = ({ operations, faults }: Plan): number => operations.length + faults.length

const simplifyOperation = (operation: Operation, { operations, servers }: Plan): Operation[] => {
  const at = operations[0]?.at ?? 0
  const simpler: Operation[] = [{ ...operation, at }]
  if ('server' in operation) simpler.push({ ...operation, server: servers[0]?.name ?? operation.server })
  if (operation.do === 'create a group') simpler.push({ ...operation, retries: 'none' })
  if (operation.do === 'make a call' && operation.steps.length > 1) {
    simpler.push({ ...operation, steps: operation.steps.slice(0, -1) })
    simpler.push({ ...operation, steps: operation.steps.slice(1) })
  }
  return simpler
}

const listSimplerOperations = (plan: Plan): Plan[] =>
  plan.operations.flatMap((operation, index) =>
    simplifyOperation(operation, plan).map((simpler) => ({
      ...plan,
      operations: plan.operations.with(index, simpler).toSorted((left, right) => left.at - right.at),
    })),
  )

/** Lists simpler plans with the same number of operations and faults. */
const listSimpler = (plan: Plan): Plan[] => {
  const last = Math.max(
    0,
    ...listEntries(plan).map((entry) =>
      'operation' in entry
        ? entry.operation.at
        : isCallFault(entry.fault)
          ? (entry.fault.from ?? 0)
          : entry.fault.at + entry.fault.forMs,
    ),
  )
  return [
    { ...plan, servers: plan.servers.slice(0, -1) },
    { ...plan, subscriptions: plan.subscriptions.slice(0, -1) },
    { ...plan, handlerMs: [0, 0] as const },
    { ...plan, sharesFairly: true },
    { ...plan, pollMs: 1_000 },
    { ...plan, prefetchSize: Math.max(plan.prefetchSize, 100) },
    { ...plan, latency: Math.min(plan.latency, 1) },
    { ...plan, slowMs: 0 },
    { ...plan, changesMs: 0 },
    { ...plan, calmAt: last + 1 },
    ...listSimplerOperations(plan),
  ].filter((simpler) => {
    const isPossible = simpler.servers.length > 0 && simpler.subscriptions.length > 0
    return isPossible && JSON.stringify(simpler) !== JSON.stringify(plan)
  })
}

/** The limits of shrinking. Shrinking takes seconds for most plans. */
const limits = { runs: 4_000, cpuMs: 120_000 }

/** Returns the CPU time of this process, in milliseconds. */
export const measureCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Maximum number of operations and faults in a readable reproduction. */
export const maximumEntries = 10
/** Maximum number of other seeds to try for a shorter reproduction. */
const maximumSeeds = 300

export type ShrinkOptions = Pick<Failure, 'violation'> & {
  /** @default 120_000 */
  readonly maximumCpuMs?: number
  /** Number of operations and faults at which shrinking stops. @default 0 */
  readonly enough?: number
}

/**
 * Removes operations and faults from a failing plan, long ranges first, as long as the same invariant breaks. Random
 * faults first become part of the plan, so that they can be removed, too. (fast-check cannot shrink them: it reduces
 * only values that it has generated, but these faults exist only after a run.)
 */
export const shrinkPlan = async (
  failing: Plan,
  { violation, maximumCpuMs = limits.cpuMs, enough = 0 }: ShrinkOptions,
): Promise<Failure> => {
  const start = measureCpuMs()
  let runs = 0
  const fails = async (plan: Plan): Promise<Failure | undefined> => {
    runs++
    const result = await runPlan(plan)
    const found = result.violation
    return found?.invariant === violation.invariant ? { plan, violation: found, result } : undefined
  }

  const first = await runPlan(failing)
  const timed = failing.faults.filter((fault) => !isCallFault(fault))
  const counted = first.callFaults.map(({ on, fault }) => ({ on, fault }))
  const explicit: Plan = { ...failing, rates: null, faults: [...timed, ...counted] }
  let best: Failure = (await fails(explicit)) ?? { plan: failing, violation, result: first }

  const isExhausted = (): boolean =>
    runs > limits.runs || measureCpuMs() - start > maximumCpuMs || countEntries(best.plan) <= enough
  /** Runs a simpler plan, and keeps the plan if it breaks the invariant. Returns whether it was kept. */
  const keep = async (simpler: Plan): Promise<boolean> => {
    const found = isExhausted() ? undefined : await fails(simpler)
    best = found ?? best
    return found !== undefined
  }

  const removeStretches = async (): Promise<boolean> => {
    let hasShrunk = false
    for (let length = Math.ceil(countEntries(best.plan) / 2); length >= 1; length = Math.floor(length / 2)) {
      for (let from = 0; from < countEntries(best.plan) && !isExhausted(); ) {
        if (await keep(withEntries(best.plan, dropEntries(best.plan, { from, length })))) hasShrunk = true
        else from += length
      }
    }
    return hasShrunk
  }
  const simplify = async (): Promise<boolean> => {
    for (const simpler of listSimpler(best.plan)) if (await keep(simpler)) return true
    return false
  }
  /** Identifies call faults by their time instead of their number, which changes when earlier calls are removed. */
  const useTimes = async (): Promise<boolean> => {
    const { plan, result } = best
    if (plan.rates !== null || !plan.faults.some((fault) => isCallFault(fault) && fault.from === undefined))
      return false
    const others = plan.faults.filter((fault) => !isCallFault(fault))
    const calls = result.callFaults.map((fault) => ({ ...fault, on: fault.on.replace(/ #\d+$/, '') }))
    return keep({ ...plan, faults: [...others, ...calls] })
  }
  /** Removes one entry and tries other seeds. With one of them, the necessary faults may still coincide. */
  const tryOtherSeeds = async (): Promise<boolean> => {
    const { plan } = best
    for (let nth = 1; countEntries(plan) > maximumEntries && nth <= maximumSeeds; nth++) {
      const entries = dropEntries(plan, { from: nth % countEntries(plan), length: 1 })
      if (await keep({ ...withEntries(plan, entries), seed: plan.seed + nth })) return true
    }
    return false
  }

  while ((await removeStretches()) || (await simplify()) || (await useTimes()) || (await tryOtherSeeds()));
  return best
}
