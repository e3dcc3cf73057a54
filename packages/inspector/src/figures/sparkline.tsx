type SparklineProps = { readonly delivered: readonly number[]; readonly failed: readonly number[] }

const height = 24
const width = 120

/** Draws a bar per point, with failed attempts on top of delivered ones. Screen readers get the numbers beside it. */
export const Sparkline = ({ delivered, failed }: SparklineProps) => {
  const most = Math.max(1, ...delivered.map((count, index) => count + (failed[index] ?? 0)))
  const step = width / Math.max(1, delivered.length)
  const toBar = (index: number, from: number, to: number): string => {
    const x = (index * step).toFixed(1)
    return from === to ? '' : `M${x} ${height - (from / most) * height}V${height - (to / most) * height}`
  }
  const good = delivered.map((count, index) => toBar(index, 0, count)).join('')
  const bad = failed
    .map((count, index) => toBar(index, delivered[index] ?? 0, (delivered[index] ?? 0) + count))
    .join('')
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <path class="good" d={good} stroke-width={step} />
      <path class="bad" d={bad} stroke-width={step} />
    </svg>
  )
}
