import { areDependent } from './gates.ts'
import type { Choose, Operation, Race, Ran, Waiting } from './race.ts'

/** A choice among the sessions at their gates. */
type Choice = {
  chosen: number
  /** Sessions to choose here in later orders. */
  readonly left: number[]
  /** Sessions that were chosen here before or need not be chosen. */
  readonly asleep: Set<number>
  /** The session that made the last step, if it can make the next one, too. */
  readonly current: number | undefined
  /** Number of earlier choices of another session than the current one. */
  readonly switches: number
}

const countSwitches = ({ chosen, current, switches }: Choice): number =>
  current === undefined || chosen === current ? switches : switches + 1

export type Explored = {
  /** Number of distinct orders. */
  readonly orders: number
  /** Number of orders abandoned because they only swap independent steps. */
  readonly givenUp: number
  readonly isComplete: boolean
}

export type ExploreOptions = {
  /** @default Infinity */
  readonly maxOrders?: number | undefined
  /**
   * Maximum number of times that a session waits although it could make the next step. Unless it is
   * `Infinity`, orders that differ only by swaps of independent steps all run, because the one that would
   * stand for them may have too many switches.
   * @default Infinity
   */
  readonly maxSwitches?: number | undefined
  /** Watches the choices. */
  watch(choose: Choose): Choose
  /** Called after each order. Returns whether to continue. */
  check(ran: Ran): Promise<boolean>
}

/**
 * Runs operations in every order of their steps. Runs only one of several orders that differ only by swaps of
 * independent neighboring steps (sleep sets: Godefroid, Partial-Order Methods for the Verification of Concurrent
 * Systems, 1996).
 */
export const explore = async (
  race: Race,
  operations: readonly Operation[],
  { maxOrders = Infinity, maxSwitches = Infinity, watch, check }: ExploreOptions,
): Promise<Explored> => {
  const choices: Choice[] = []
  let orders = 0
  let givenUp = 0
  for (;;) {
    let depth = 0
    let before: readonly Waiting[] = []
    const choose: Choose = (waiting, moved) => {
      const known = choices[depth]
      const last = choices[depth - 1]
      depth++
      if (known !== undefined) {
        before = waiting
        return known.chosen
      }
      // Sleeping sessions stay asleep unless a dependent step was made.
      const asleep = new Set(
        [...(last?.asleep ?? [])].filter((session) => {
          const sleeper = before.find((each) => each.session === session)
          return (
            maxSwitches === Infinity &&
            session !== last?.chosen &&
            sleeper !== undefined &&
            !moved.some((step) => areDependent(step, sleeper.step))
          )
        }),
      )
      before = waiting
      const current = waiting.find(({ session }) => session === last?.chosen)?.session
      const switches = last === undefined ? 0 : countSwitches(last)
      const [chosen, ...left] = waiting
        .map(({ session }) => session)
        .filter((session) => !asleep.has(session))
        .filter((session) => switches < maxSwitches || current === undefined || session === current)
      if (chosen === undefined) return undefined
      choices.push({ chosen, left, asleep, current, switches })
      return chosen
    }
    const ran = await race.run(operations, watch(choose))
    if (ran.isGivenUp) givenUp++
    else {
      orders++
      if (!(await check(ran))) return { orders, givenUp, isComplete: false }
    }
    for (let last = choices.at(-1); last !== undefined; last = choices.at(-1)) {
      const next = last.left.shift()
      if (next === undefined) choices.pop()
      else {
        last.asleep.add(last.chosen)
        last.chosen = next
        break
      }
    }
    if (choices.length === 0) return { orders, givenUp, isComplete: true }
    if (orders >= maxOrders) return { orders, givenUp, isComplete: false }
  }
}
