import type { TimelineEntry } from '@wabakit/server/control-types'

/** Minimum significant difference, in milliseconds. Smaller ones come from the server's processing time. */
const minimumMs = 1_000

/**
 * Returns the period that a simulated call claims to have lasted before its events were published, as Unix time in
 * milliseconds.
 */
export const findVirtualTime = (entries: readonly Pick<TimelineEntry, 'kind' | 'at'>[]) => {
  const change = entries.find(({ kind }) => kind === 'change')
  const event = entries.find(({ kind }) => kind === 'event')
  if (change === undefined || event === undefined) return undefined
  const [from, to] = [Date.parse(change.at), Date.parse(event.at)]
  return to - from > minimumMs ? { from, to } : undefined
}
