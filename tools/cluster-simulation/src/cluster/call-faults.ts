import { type CallFault, isCallFault, type Plan, type Rates } from '../plan.ts'
import type { Draws } from '../virtual/random.ts'

export type CallFaults = ReturnType<typeof createCallFaults>

/**
 * Creates the functions that decide which calls fail, and how. Rates add random faults to the planned ones. `now`
 * returns the milliseconds since the start of the run.
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
    happened: happened as readonly CallFault[],
    /** Ends all faults. No later call fails. */
    stop: (): void => {
      isOver = true
    },
    /** Returns the fault of the next call with this name, or `undefined` if the call succeeds. */
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
