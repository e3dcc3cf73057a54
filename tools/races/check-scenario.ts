import { type Explored, type ExploreOptions, explore } from './explore.ts'
import { readFinalState } from './final-state.ts'
import { canConflict, type Step } from './gates.ts'
import type { Choose, Operation, Race, Ran } from './race.ts'

export type Checked = Explored & {
  /** The first order that breaks a rule, in words; `undefined` if there is none. */
  readonly violation: string | undefined
}

/** Chooses the same session until it has committed, so that transactions run one after another. */
const oneTransactionAtATime = (choose: Choose): Choose => {
  let open: number | undefined
  return (waiting, moved) => {
    const own = waiting.filter(({ session }) => moved.length > 0 && session === open)
    const chosen = choose(own.length > 0 ? own : waiting, moved)
    open = waiting.find(({ session }) => session === chosen)?.step.isCommit ? undefined : chosen
    return chosen
  }
}

/** The last ten steps seen, by session and label. A committing step has different footprints in different orders. */
type Seen = ReadonlyArray<Map<string, Step[]>>

/** Returns the steps of each session that no other session can notice, even after their commit. */
const listIndependent = (seen: Seen): ReadonlySet<string>[] =>
  seen.map((own) => {
    const others = seen.filter((each) => each !== own).flatMap((each) => [...each.values()].flat())
    const isIndependent = (steps: readonly Step[]): boolean =>
      steps.every(
        (step) => !step.isCommit && !others.some((other) => canConflict({ ...step, isCommit: true }, other)),
      )
    return new Set([...own].flatMap(([label, steps]) => (isIndependent(steps) ? label : [])))
  })

/**
 * Runs operations in all orders of their steps. Each order must keep the rules, and have the same result as some order
 * in which transactions run one after another.
 */
export const checkScenario = async (
  race: Race,
  operations: readonly Operation[],
  { maxOrders, maxSwitches }: Pick<ExploreOptions, 'maxOrders' | 'maxSwitches'> = {},
): Promise<Checked> => {
  const serial = new Set<string>()
  const format = ({ outcomes }: Ran, state: string): string => `${JSON.stringify(outcomes)}\n${state}`
  let violation: string | undefined
  const judge = async (ran: Ran, isSerial: boolean): Promise<boolean> => {
    const { state, broken } = await readFinalState(race)
    const ending = format(ran, state)
    if (isSerial) serial.add(ending)
    if (broken.length === 0 && serial.has(ending)) return true
    const reasons = broken.length > 0 ? broken : ['no sequence of the transactions ends like this']
    violation = [
      ...operations.map(({ name }, index) => `${index + 1} is: ${name}`),
      ...ran.order.map((step) => `  ${step}`),
      ...reasons.map((reason) => `Broken: ${reason}`),
      `It ended with ${ending}`,
      ...(broken.length > 0 ? [] : [...serial].map((each) => `A sequence ends with ${each}`)),
    ].join('\n')
    return false
  }
  const seen: Seen = operations.map(() => new Map())
  const watch =
    (choose: Choose): Choose =>
    (waiting, moved) => {
      for (const { session, label, step } of waiting) {
        const known = seen[session]?.get(label) ?? []
        if (known.length === 0 || step.isCommit) seen[session]?.set(label, [...known, step].slice(-10))
      }
      return choose(waiting, moved)
    }

  await race.skip([])
  const inTurn = await explore(race, operations, {
    watch: (choose) => watch(oneTransactionAtATime(choose)),
    check: (ran) => judge(ran, true),
  })
  if (violation !== undefined) return { ...inTurn, violation }
  for (;;) {
    const skipped = listIndependent(seen)
    await race.skip(skipped)
    const explored = await explore(race, operations, {
      maxOrders,
      maxSwitches,
      watch,
      check: (ran) => judge(ran, false),
    })
    const independent = listIndependent(seen)
    // Newly seen steps may depend on steps at which sessions did not wait.
    const isSame = skipped.every((labels, session) =>
      [...labels].every((label) => independent[session]?.has(label)),
    )
    if (isSame || violation !== undefined) return { ...explored, violation }
  }
}
