import type { Timeline } from '@wabakit/server/control-types'

/** Lists the times of all entries of a timeline, and of the ends of attempts, as Unix time in milliseconds. */
export const listTimes = ({ entries, deliveries, now }: Timeline): number[] => [
  Date.parse(now),
  ...deliveries.map(({ createdAt }) => Date.parse(createdAt)),
  ...entries.flatMap((entry) => {
    const at = Date.parse(entry.at)
    return entry.kind === 'attempt' ? [at, at + entry.attempt.durationMs] : [at]
  }),
]

/** The period between two consecutive times of a timeline. */
export type Gap = {
  readonly from: number
  readonly to: number
  readonly left: number
  readonly right: number
}

export type Scale = { readonly gaps: readonly Gap[]; place(time: number): number }

export type ScaleMode = 'compressed' | 'linear'

/**
 * Returns the weight of a gap on the axis. Attempts are milliseconds, minutes or a day apart. On a compressed axis, a
 * gap that is ten times as long is only a little wider.
 */
const weigh = { compressed: (ms: number) => Math.log10(1 + ms) ** 1.3, linear: (ms: number) => ms } as const

/** The fraction of the axis that stays free at each end. */
const margin = 0.02

/** Creates the axis for times, given as Unix time in milliseconds. */
export const createScale = (times: readonly number[], mode: ScaleMode): Scale => {
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
    place: (time) => {
      const gap = gaps.find(({ to }) => time <= to) ?? gaps.at(-1)
      if (gap === undefined) return 0.5
      const share = Math.min(Math.max((time - gap.from) / (gap.to - gap.from), 0), 1)
      return gap.left + share * (gap.right - gap.left)
    },
  }
}
