import { isCallFault } from '../plan.ts'
import type { Invariant, InvariantContext } from './invariant.ts'

const limited = 'attempts start no faster than a subscription allows'

/**
 * Checks that no server exceeds the `maxAttemptsPerSecond` of a subscription, which may change at any time. A server is
 * exempt if its clock is stepped, or if it is paused, because a pause may delay the start of an attempt.
 */
export const createStartLimitsInvariant = ({ plan, violate, now }: InvariantContext): Invariant => {
  const moved = new Set(
    plan.faults.flatMap((fault) =>
      !isCallFault(fault) && (fault.fault === 'step the clock' || fault.fault === 'pause')
        ? [fault.server]
        : [],
    ),
  )
  /** The start times of limited attempts, by server and subscription. */
  const starts = new Map<string, number[]>()
  return {
    on: {
      paused: ({ server }) => moved.add(server),
      'server ended': ({ server }) => {
        for (const key of starts.keys()) if (key.startsWith(`${server} `)) starts.delete(key)
      },
      'attempt started': ({ server, attempted }) => {
        if (moved.has(server)) return
        const { id, maxAttemptsPerSecond: perSecond } = attempted.subscription
        const key = `${server} ${id}`
        if (perSecond === null) return void starts.delete(key)
        const earlier = starts.get(key) ?? []
        const count = Math.ceil(perSecond)
        const since = now() - (earlier.at(-count) ?? -Infinity)
        starts.set(key, [...earlier.slice(-100), now()])
        // Times are rounded to milliseconds.
        if (since >= (count / perSecond) * 1_000 - 1) return
        violate(
          limited,
          `${count + 1} attempts for ${id} start within ${since} ms; ${perSecond} per second are allowed`,
        )
      },
    },
  }
}
