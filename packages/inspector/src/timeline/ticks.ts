import type { Scale } from './scale.ts'

/** A labeled time on the axis, or the length of a gap. */
export type Tick = { readonly x: number; readonly time: number; readonly gapMs?: number }

const labelWidth = 104
const gapWidth = 72

/**
 * Chooses the times to label on an axis of some width in pixels, and the gaps that are wide enough to show their
 * length.
 */
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
