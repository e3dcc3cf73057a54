import type { TimelineEntry } from '@wabakit/server/control-types'

/** Minimum length of a virtual period, in milliseconds. Shorter periods are the server's processing time. */
const minimumMs = 1_000

/**
 * Finds the virtual time of a simulated call: from the recorded time of its first change to the time of its
 * first event. Returns Unix times in milliseconds.
 */
export const findVirtualTime = (entries: readonly Pick<TimelineEntry, 'kind' | 'at'>[]) => {
  const change = entries.find(({ kind }) => kind === 'change')
  const event = entries.find(({ kind }) => kind === 'event')
  if (change === undefined || event === undefined) return undefined
  const [from, to] = [Date.parse(change.at), Date.parse(event.at)]
  return to - from > minimumMs ? { from, to } : undefined
}
