import type { TimelineEntry } from '@wabakit/server/control-types'
import { reveal } from '../format/mask.ts'
import type { Axis } from './scale.ts'

/** A label for a timeline entry that has no duration. */
export type Flag = {
  readonly key: string
  readonly at: number
  readonly text: string
  readonly tone: 'plain' | 'good' | 'warn' | 'bad'
  readonly entry: TimelineEntry
}

const toFlag = (entry: TimelineEntry, index: number): Flag | undefined => {
  const shared = { key: `${entry.kind}-${index}`, at: Date.parse(entry.at), entry }
  if (entry.kind === 'event') return { ...shared, text: reveal(entry.event.name), tone: 'plain' }
  if (entry.kind === 'change') return { ...shared, text: entry.state, tone: 'plain' }
  if (entry.kind !== 'request') return undefined
  const { method, path, status } = entry.request
  const tone = status < 300 ? 'good' : status < 500 ? 'warn' : 'bad'
  return { ...shared, text: `${method} ${path.split('/').at(-1)} ${status}`, tone }
}

export const listFlags = (entries: readonly TimelineEntry[], kind: TimelineEntry['kind']): Flag[] =>
  entries.filter((entry) => entry.kind === kind).flatMap((entry, index) => toFlag(entry, index) ?? [])

const characterWidth = 7
const padding = 30

/**
 * Arranges flags on as few lines as possible, so that they do not overlap. Flags that would extend beyond the right end
 * are moved to the left.
 */
export const placeFlags = (flags: readonly Flag[], { place, width }: Axis) => {
  const ends: number[] = []
  return flags.map((flag) => {
    const length = flag.text.length * characterWidth + padding
    const x = Math.max(0, Math.min(place(flag.at) * width, width - length))
    const free = ends.findIndex((end) => end <= x)
    const line = free === -1 ? ends.length : free
    ends[line] = x + length
    return { ...flag, x, line }
  })
}
