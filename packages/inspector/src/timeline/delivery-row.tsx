import type { Timeline, TimelineEntry } from '@wabakit/server/control-types'
import { formatDuration, formatTime } from '../format/time.ts'
import { DeliveryStatus } from '../parts/status.tsx'
import { MarkSign } from './mark-sign.tsx'
import type { TimelineSelection } from './selection.ts'

type DeliveryRowProps = {
  readonly delivery: Timeline['deliveries'][number]
  readonly entries: readonly TimelineEntry[]
  readonly now: number
  readonly place: (time: number) => number
  readonly width: number
  readonly selected: TimelineSelection | undefined
  readonly onSelect: (selection: TimelineSelection) => void
}

/** The least width in pixels that an attempt takes, so that it can be seen and clicked. */
const minWidth = 34

/** A delivery on the time axis: when it was created, every attempt, and what comes next. */
export const DeliveryRow = (props: DeliveryRowProps) => {
  const { delivery, entries, now, place, width, selected, onSelect } = props
  const { id, eventName, createdAt, finishedAt, wait, marks } = delivery
  const own = entries.filter((entry) => 'deliveryId' in entry && entry.deliveryId === id)
  const next = own.find(({ kind }) => kind === 'next_attempt')
  const toX = (time: number): number => place(time) * width
  const start = toX(Date.parse(createdAt))
  const end = toX(
    finishedAt === null ? Math.max(now, next ? Date.parse(next.at) : 0) : Date.parse(finishedAt),
  )
  const isSelected = selected?.deliveryId === id
  const select = (attempt?: number): void => onSelect({ deliveryId: id, attempt })
  return (
    <div class={`lane-row delivery ${isSelected ? 'selected' : ''}`}>
      <button type="button" class="lane-label" aria-pressed={isSelected} onClick={() => select()}>
        <span class="first">
          <span class="name">{eventName}</span>
          <MarkSign marks={marks} />
          <DeliveryStatus {...delivery} />
        </span>
        {wait && (
          <span class="wait" title={wait.text}>
            {wait.text}
          </span>
        )}
      </button>
      <div class="track">
        <span
          class={`span ${finishedAt === null ? 'open' : ''}`}
          style={{ left: `${start}px`, width: `${Math.max(end - start, 2)}px` }}
        />
        {own.map((entry) => {
          const at = Date.parse(entry.at)
          if (entry.kind === 'next_attempt') {
            return (
              <span
                key="next"
                class="next"
                style={{ left: `${toX(at)}px` }}
                title={`Attempt ${entry.number} at ${formatTime(entry.at)}`}
              >
                #{entry.number}
              </span>
            )
          }
          if (entry.kind !== 'attempt') return null
          const { number, status, error, succeeded, deferred, durationMs } = entry.attempt
          const tone = succeeded ? 'good' : deferred ? 'warn' : 'bad'
          return (
            <button
              key={number}
              type="button"
              class={`try ${tone}`}
              aria-pressed={isSelected && selected?.attempt === number}
              style={{
                left: `${toX(at)}px`,
                width: `${Math.max(minWidth, toX(at + durationMs) - toX(at))}px`,
              }}
              title={`Attempt ${number}: ${status ?? error}, ${formatDuration(durationMs)}, at ${formatTime(entry.at)}`}
              onClick={() => select(number)}
            >
              {status ?? '×'}
              <MarkSign marks={entry.marks} />
            </button>
          )
        })}
      </div>
    </div>
  )
}
