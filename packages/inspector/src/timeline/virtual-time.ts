import type { TimelineEntry } from '@wabakit/server/control-types'

/** A stretch of time, in Unix time in milliseconds. */
export type Stretch = { readonly from: number; readonly to: number }

/** Differences below this come from the speed of the server. */
const minimumMs = 1_000

/**
 * Returns the time that a simulated call states to have taken before it was simulated: its states are in that time, and its
 * events after it.
 */
export const findVirtualTime = (
  entries: readonly Pick<TimelineEntry, 'kind' | 'at'>[],
): Stretch | undefined => {
  const change = entries.find(({ kind }) => kind === 'change')
  const event = entries.find(({ kind }) => kind === 'event')
  if (change === undefined || event === undefined) return undefined
  const [from, to] = [Date.parse(change.at), Date.parse(event.at)]
  return to - from > minimumMs ? { from, to } : undefined
}
