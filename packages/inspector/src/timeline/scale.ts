import type { Timeline } from '@wabakit/server/control-types'

/** Lists the times that a timeline shows, as Unix time in milliseconds. */
export const listTimes = ({ entries, deliveries, now }: Timeline): number[] => [
  Date.parse(now),
  ...deliveries.map(({ createdAt }) => Date.parse(createdAt)),
  ...entries.flatMap((entry) => {
    const at = Date.parse(entry.at)
    return entry.kind === 'attempt' ? [at, at + entry.attempt.durationMs] : [at]
  }),
]

/** The period between two consecutive times, and the positions of its ends as fractions of the axis. */
type Gap = { readonly from: number; readonly to: number; readonly left: number; readonly right: number }

export type Scale = ReturnType<typeof createScale>

/** A time axis. `width` and `nowX`, the position of the current time, are in pixels. */
export type Axis = Pick<Scale, 'place'> & { readonly width: number; readonly nowX: number }

export type ScaleMode = 'compressed' | 'linear'

/**
 * Computes the relative width of a gap. Attempts can be milliseconds or days apart, so on a compressed axis,
 * a gap that is ten times longer is only slightly wider.
 */
const weigh = { compressed: (ms: number) => Math.log10(1 + ms) ** 1.3, linear: (ms: number) => ms } as const

/** The empty space at each end, as a fraction of the axis. */
const margin = 0.02

/** Creates the scale of an axis that shows these times, which are Unix times in milliseconds. */
export const createScale = (times: readonly number[], mode: ScaleMode) => {
  const sorted = [...new Set(times)].sort((left, right) => left - right)
  const weights = sorted.slice(1).map((time, index) => weigh[mode](time - (sorted[index] ?? time)))
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1
  const gaps: Gap[] = []
  let left = margin
  for (const [index, weight] of weights.entries()) {
    const right = left + (weight / total) * (1 - 2 * margin)
    gaps.push({ from: sorted[index] ?? 0, to: sorted[index + 1] ?? 0, left, right })
    left = right
  }
  return {
    gaps,
    /** Returns the position of a time, as a fraction of the axis. */
    place: (time: number): number => {
      const gap = gaps.find(({ to }) => time <= to) ?? gaps.at(-1)
      if (gap === undefined) return 0.5
      const share = Math.min(Math.max((time - gap.from) / (gap.to - gap.from), 0), 1)
      return gap.left + share * (gap.right - gap.left)
    },
  }
}

/** A label on the axis: a time or, with `gapMs`, the length of the gap after it. */
type Tick = { readonly x: number; readonly time: number; readonly gapMs?: number }

const labelWidth = 104
const gapWidth = 72

/** Chooses the labels of an axis, so that they do not overlap. `width` is in pixels. */
export const listTicks = ({ gaps }: Scale, width: number): Tick[] => {
  const ticks: Tick[] = []
  let end = Number.NEGATIVE_INFINITY
  const addTime = (time: number, x: number): void => {
    if (x < end || x + labelWidth > width) return
    ticks.push({ time, x })
    end = x + labelWidth
  }
  for (const { from, to, left, right } of gaps) {
    addTime(from, left * width)
    const middle = ((left + right) / 2) * width
    const isWide = (right - left) * width > labelWidth + gapWidth + 24
    if (!isWide || middle - gapWidth / 2 < end) continue
    ticks.push({ time: from, x: middle, gapMs: to - from })
    end = middle + gapWidth / 2
  }
  const last = gaps.at(-1)
  if (last !== undefined) addTime(last.to, last.right * width)
  return ticks
}

/** An item on the axis. Its position and width are in pixels. */
type Placed = { readonly x: number; readonly width: number }

/** The space between items, in pixels. */
export const gap = 2

/** The least width of an attempt, with room for its status, in pixels. */
const leastWidth = 26

/**
 * Chooses the minimum width of an attempt: at most `easy`, less if `count` attempts would not fit on the axis otherwise, but never
 * less than {@link leastWidth}. `axis` and `easy` are in pixels.
 */
export const fitAttempts = (
  count: number,
  { axis, easy }: { readonly axis: number; readonly easy: number },
): number => Math.max(leastWidth, Math.min(easy, Math.floor((axis - gap) / count) - gap))

/**
 * Moves overlapping items apart, so that the user can click each of them. Preserves their order and, if there
 * is enough room, keeps them within the axis.
 */
export const spread = (placed: readonly Placed[], axis: number): number[] => {
  let end = -gap
  const xs = placed.map(({ x, width }) => {
    const at = Math.max(x, end + gap)
    end = at + width
    return at
  })
  let limit = axis
  for (const [index, { width }] of [...placed.entries()].toReversed()) {
    xs[index] = Math.max(0, Math.min(xs[index] ?? 0, limit - width))
    limit = (xs[index] ?? 0) - gap
  }
  return xs
}

/** An attempt whose width shows how long it took, and the least width that it may have instead. */
type Lasting = Placed & { readonly least: number }

const measure = (placed: readonly Placed[]): number => placed.reduce((sum, { width }) => sum + width + gap, 0)

/**
 * Places the attempts of a delivery before the line of the current time, if they have enough room there, and the next attempt
 * after it, so that nothing covers anything else. If attempts as wide as they lasted do not fit there, all get their least width.
 */
export const placeAttempts = (
  attempts: readonly Lasting[],
  next: Placed | undefined,
  { nowX, width }: Pick<Axis, 'nowX' | 'width'>,
) => {
  const isRoomy = measure(attempts) <= nowX
  const sized = attempts.map(({ x, width: full, least }) => ({ x, width: isRoomy ? full : least }))
  const rest = next === undefined ? width : width - next.width - gap
  const xs = spread(sized, measure(sized) <= nowX ? nowX - gap : rest)
  const end = Math.max(nowX, (xs.at(-1) ?? 0) + (sized.at(-1)?.width ?? 0))
  return {
    places: sized.map((each, index) => ({ ...each, x: xs[index] ?? 0 })),
    nextX: next && Math.min(Math.max(next.x - next.width, end + gap), width - next.width),
  }
}

const characterWidth = 7
const padding = 30

/**
 * Arranges labels on as few lines as possible, so that they do not overlap. Labels that would extend beyond
 * the current time are moved to the left, if they have enough room there.
 */
export const placeFlags = <Flag extends { readonly at: number; readonly text: string }>(
  flags: readonly Flag[],
  { place, width, nowX }: Axis,
) => {
  const ends: number[] = []
  return flags.map((flag) => {
    const length = flag.text.length * characterWidth + padding
    const x = Math.max(0, Math.min(place(flag.at) * width, (length < nowX ? nowX - gap : width) - length))
    const free = ends.findIndex((end) => end <= x)
    const line = free === -1 ? ends.length : free
    ends[line] = x + length
    return { ...flag, x, line }
  })
}
