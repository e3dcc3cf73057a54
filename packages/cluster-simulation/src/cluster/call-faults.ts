import { type CallFault, isCallFault, type Plan, type Rates } from '../plan.ts'
import type { Draws } from '../virtual/random.ts'

export type CallFaults = ReturnType<typeof createCallFaults>

/**
 * Decides which calls fail, and how. If the plan has rates, random faults occur in addition to the planned ones.
 *
 * @param now - returns the milliseconds since the start of the run.
 */
export const createCallFaults = ({ faults }: Plan, draws: Draws, now: () => number) => {
  const callFaults = faults.filter(isCallFault)
  const planned = new Map(callFaults.map((each) => [each.on, each.fault]))
  const later = callFaults.filter(({ from }) => from !== undefined)
  const counts = new Map<string, number>()
  const happened: CallFault[] = []
  let isOver = false

  const takeLater = (call: string): CallFault['fault'] | undefined => {
    const index = later.findIndex(({ on, from = 0 }) => on === call && from <= now())
    return index < 0 ? undefined : later.splice(index, 1)[0]?.fault
  }
  const draw = <Kind extends CallFault['fault']>(
    call: string,
    kinds: readonly Kind[],
    kindRates: Rates<Kind>,
  ): Kind | undefined => {
    let left = draws.next(`fault of ${call}`)
    return kinds.find((kind) => {
      left -= kindRates[kind] ?? 0
      return left < 0
    })
  }

  return {
    /** The faults so far, each with the affected call and the time. */
    happened: happened as readonly CallFault[],
    /** Stops all faults: no later call fails. */
    stop: (): void => {
      isOver = true
    },
    /** Returns the fault for the next call with this name, if any. */
    decide: <Kind extends CallFault['fault']>(
      call: string,
      kinds: readonly Kind[],
      kindRates: Rates<Kind> | undefined,
    ): Kind | undefined => {
      if (isOver) return undefined
      const count = (counts.get(call) ?? 0) + 1
      counts.set(call, count)
      const on = `${call} #${count}`
      const wanted = planned.get(on) ?? takeLater(call)
      const drawn = kindRates && draw(call, kinds, kindRates)
      const fault = kinds.find((kind) => kind === wanted) ?? drawn
      if (fault !== undefined) happened.push({ on, fault, from: now() })
      return fault
    },
  }
}
