import { formatDuration, formatTime } from '../format/time.ts'
import type { Scale } from './scale.ts'
import { listTicks } from './scale.ts'

type TimeAxisProps = {
  readonly scale: Scale
  readonly width: number
  /** The time of day, or the time since the first entry. */
  readonly labels: 'clock' | 'elapsed'
}

export const TimeAxis = ({ scale, width, labels }: TimeAxisProps) => {
  const start = scale.gaps[0]?.from ?? 0
  const format = (time: number): string =>
    labels === 'clock' ? formatTime(new Date(time).toISOString()) : `+${formatDuration(time - start)}`
  return (
    <div class="axis lane-row">
      <div class="lane-label" />
      <div class="track">
        {listTicks(scale, width).map(({ x, time, gapMs }) =>
          gapMs === undefined ? (
            <span key={`t${time}`} class="tick" style={{ left: `${x}px` }}>
              {format(time)}
              <span class="rule" />
            </span>
          ) : (
            <span key={`g${time}`} class="gap" style={{ left: `${x}px` }}>
              {formatDuration(gapMs)}
            </span>
          ),
        )}
      </div>
    </div>
  )
}
