import { useSignal } from '@preact/signals'
import { line } from 'd3-shape'
import { useEffect, useRef } from 'preact/hooks'
import { TableHead } from '../components/table-head.tsx'
import { formatDay, formatTime } from '../format/time.ts'
import { createChartScale } from './chart-scale.ts'

export type Series = {
  readonly label: string
  readonly tone: 'good' | 'bad' | 'warn' | 'busy'
  readonly values: readonly (number | null)[]
}

export type ChartProps = {
  readonly title: string
  /** Starts of the points, in ISO 8601. */
  readonly times: readonly string[]
  /** The lines. The second is dashed and the third dotted, so that they can be told apart without color. */
  readonly series: readonly Series[]
  /** Formats a value in full. The readout and the table show it. */
  readonly format: (value: number) => string
  /** Formats a value for the axis. @default `format` */
  readonly formatShort?: (value: number) => string
  /** The texts of the marks, such as a rotated secret, by the index of their point. */
  readonly marks?: ReadonlyMap<number, string>
  /** Set if the values are counts, so that the table has their sum. */
  readonly isCount?: boolean
  /** Set if the last point contains the current time, so that it is incomplete. */
  readonly isRunning: boolean
  /** Shown instead of a chart without values. */
  readonly empty: string
  /** Opens the records of a point. `before` is `undefined` for the last one. */
  readonly onOpen: (from: string, before: string | undefined) => void
}

const height = 168

const formatMoment = (iso: string): string =>
  [formatDay(iso), formatTime(iso).slice(0, 5)].filter(Boolean).join(' ')

const ChartTable = ({ title, times, series, format, marks, isCount }: ChartProps) => {
  // The rows are rendered only while the table is open, because they take longer than the rest of the view.
  const isOpen = useSignal(false)
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>{title} as a table</summary>
      {isOpen.value && (
        <div class="scroll" role="group" aria-label={`${title} as a table`} tabIndex={0}>
          <table>
            <TableHead
              columns={{ From: '', ...Object.fromEntries(series.map(({ label }) => [label, 'number'])) }}
            />
            <tbody>
              {times.map((time, index) => (
                <tr key={time}>
                  <th scope="row">{[formatMoment(time), marks?.get(index)].filter(Boolean).join(' · ')}</th>
                  {series.map(({ label, values }) => {
                    const value = values[index] ?? null
                    return (
                      <td key={label} class="number">
                        {value === null ? '–' : format(value)}
                      </td>
                    )
                  })}
                </tr>
              ))}
            </tbody>
            {isCount && (
              <tfoot>
                <tr>
                  <th scope="row">Total</th>
                  {series.map(({ label, values }) => (
                    <td key={label} class="number">
                      {format(values.reduce((sum: number, value) => sum + (value ?? 0), 0))}
                    </td>
                  ))}
                </tr>
              </tfoot>
            )}
          </table>
        </div>
      )}
    </details>
  )
}

/** Omits a line along the axis: of several zeros in a row, only those next to a value are drawn. */
const omitZeros = (values: Series['values']): Series['values'] =>
  values.map((value, at) => (value || values[at - 1] || values[at + 1] ? value : null))

/** Keeps only values whose neighbors are missing, because no line can show them. */
const keepIsolated = (values: Series['values']): (number | null)[] =>
  values.map((value, at) => ((values[at - 1] ?? values[at + 1] ?? null) === null ? value : null))

/**
 * Lines over time, and the same numbers as a table. The end of a period that is not over yet is faint.
 * A click opens the records of a point.
 */
export const Chart = (props: ChartProps) => {
  const { title, times, series, format, formatShort = format, marks, isRunning, empty, onOpen } = props
  const box = useRef<HTMLDivElement>(null)
  const width = useSignal(600)
  const pointed = useSignal<number | undefined>(undefined)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      width.value = element.clientWidth
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const most = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const scale = createChartScale({ times: times.map(Date.parse), most }, { width: width.value, height })
  const draw = line<number | null>()
    .defined((value) => value !== null)
    .x((_, index) => scale.x(index))
    .y((value) => scale.y(value ?? 0))
  const index = pointed.value
  const at = index === undefined ? undefined : times[index]
  const end = isRunning ? -1 : times.length
  const values = series.map(({ label, values: all }) => {
    const value = index === undefined ? null : (all[index] ?? null)
    return `${label} ${value === null ? '–' : format(value)}`
  })
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        {series.map(({ label, tone }) => (
          <span key={label} class={`legend ${tone}`}>
            {label}
          </span>
        ))}
      </figcaption>
      <p class="readout quiet truncated" aria-hidden="true">
        {index !== undefined &&
          at !== undefined &&
          [
            formatMoment(at),
            ...(isRunning && at === times.at(-1) ? ['so far'] : []),
            ...values,
            marks?.get(index),
          ]
            .filter(Boolean)
            .join(' · ')}
      </p>
      <div class="plot" ref={box}>
        {most === 0 ? (
          <p class="quiet">{empty}</p>
        ) : (
          <svg
            width={width.value}
            height={height}
            aria-hidden="true"
            onPointerMove={({ offsetX }) => (pointed.value = scale.findIndex(offsetX))}
            onPointerLeave={() => (pointed.value = undefined)}
            onClick={({ offsetX }) => {
              const chosen = scale.findIndex(offsetX)
              const from = times[chosen]
              if (from !== undefined) onOpen(from, times[chosen + 1])
            }}
          >
            {scale.yTicks.map((value) => (
              <g key={value} transform={`translate(0 ${scale.y(value)})`}>
                <path class="grid" d={`M${scale.left} 0H${scale.right}`} />
                <text class="value" x={scale.left - 8} dy="0.32em">
                  {formatShort(value)}
                </text>
              </g>
            ))}
            {scale.xTicks.map((each) => (
              <text key={each} class="moment" x={scale.x(each)} y={height - 4}>
                {formatMoment(times[each] ?? '')}
              </text>
            ))}
            {index !== undefined && (
              <path
                class="grid"
                d={`M${scale.x(index)} ${scale.y(0)}V${scale.y(scale.yTicks.at(-1) ?? 0)}`}
              />
            )}
            {[...(marks ?? [])].map(([each, text]) => (
              <path key={each} class="mark" d={`M${scale.x(each)} ${scale.y(0)}V0`}>
                <title>{text}</title>
              </path>
            ))}
            {series.map(({ label, tone, values }) => {
              const all = omitZeros(values)
              return (
                <g key={label} class={`line ${tone}`}>
                  <path d={draw(all.slice(0, end)) ?? ''} />
                  {isRunning && (
                    <path
                      class="so-far"
                      d={draw(all.map((value, at) => (at < all.length - 2 ? null : value))) ?? ''}
                    />
                  )}
                  <path class="dot" d={draw(keepIsolated(all)) ?? ''} />
                </g>
              )
            })}
          </svg>
        )}
      </div>
      <ChartTable {...props} />
    </figure>
  )
}
