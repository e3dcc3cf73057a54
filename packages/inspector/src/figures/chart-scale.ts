import { nice, ticks } from 'd3-array'

/** Space for the labels of the axes, in pixels. */
const margin = { top: 8, right: 8, bottom: 22, left: 52 }

/** Room for a label of the time axis, in pixels. */
const labelWidth = 92

const hour = 3_600_000

/** The distances between labels of the time axis, in milliseconds. */
const distances = [
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 6, 12, 24, 48, 168, 336].map((hours) => hours * hour),
]

export type ChartSize = { readonly width: number; readonly height: number }

type ChartData = {
  /** The starts of the points, as Unix time in milliseconds. */
  readonly times: readonly number[]
  /** The largest value. */
  readonly most: number
}

/** Returns the time as a clock on the wall shows it, so that labels are at full hours of the time zone. */
const toWallTime = (time: number): number => time - new Date(time).getTimezoneOffset() * 60_000

/** Maps the points of a chart to pixels, and chooses the labels of its axes. */
export const createChartScale = ({ times, most }: ChartData, { width, height }: ChartSize) => {
  const count = times.length
  const inner = {
    width: Math.max(1, width - margin.left - margin.right),
    height: height - margin.top - margin.bottom,
  }
  const [, top] = nice(0, Math.max(most, 1), 3)
  const step = count > 1 ? inner.width / (count - 1) : 0
  const room = Math.max(1, Math.floor(inner.width / labelWidth))
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  const stepMs = (times[1] ?? first) - first || 60_000
  const every = distances.find((each) => (last - first) / each <= room) ?? last - first
  const x = (index: number): number => margin.left + index * step
  return {
    left: margin.left,
    right: margin.left + inner.width,
    bottom: margin.top + inner.height,
    x,
    y: (value: number): number => margin.top + inner.height * (1 - value / top),
    /** The values with a label. */
    // Counts and milliseconds are whole numbers.
    yTicks: ticks(0, top, 3).filter(Number.isInteger),
    /** The indexes of the points with a label, which are the first ones from a round time on. No label is cut off. */
    xTicks: times.flatMap((time, index) => {
      const isRound = Math.floor(toWallTime(time) / every) > Math.floor((toWallTime(time) - stepMs) / every)
      return isRound && x(index) <= width - labelWidth / 2 ? [index] : []
    }),
    /** Returns the index of the point that is nearest to a position. */
    findIndex: (x: number): number =>
      step === 0 ? 0 : Math.min(count - 1, Math.max(0, Math.round((x - margin.left) / step))),
  }
}
