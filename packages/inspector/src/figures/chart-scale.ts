import { nice, ticks } from 'd3-array'

/** Space for the labels of the axes, in pixels. */
const margin = { top: 8, right: 8, bottom: 22, left: 52 }

/** Minimum distance between two labels of the time axis, in pixels. */
const labelWidth = 92

export type ChartSize = { readonly width: number; readonly height: number }

type ChartData = { readonly count: number; readonly most: number }

/** Maps the points of a chart to pixels, and chooses the labels of its axes. `most` is the largest value. */
export const createChartScale = ({ count, most }: ChartData, { width, height }: ChartSize) => {
  const inner = {
    width: Math.max(1, width - margin.left - margin.right),
    height: height - margin.top - margin.bottom,
  }
  const [, top] = nice(0, Math.max(most, 1), 3)
  const step = count > 1 ? inner.width / (count - 1) : 0
  const room = Math.max(1, Math.floor(inner.width / labelWidth))
  const every = [1, 2, 5, 6, 10, 12, 20, 24, 30, 48, 72].find((each) => count / each <= room) ?? count
  return {
    left: margin.left,
    right: margin.left + inner.width,
    bottom: margin.top + inner.height,
    x: (index: number): number => margin.left + index * step,
    y: (value: number): number => margin.top + inner.height * (1 - value / top),
    /** The values with a label. */
    // Counts and milliseconds are whole numbers.
    yTicks: ticks(0, top, 3).filter(Number.isInteger),
    /** The indexes of the points with a label, which include the first one. */
    xTicks: Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every),
    /** Returns the index of the point that is nearest to a position. */
    findIndex: (x: number): number =>
      step === 0 ? 0 : Math.min(count - 1, Math.max(0, Math.round((x - margin.left) / step))),
  }
}
