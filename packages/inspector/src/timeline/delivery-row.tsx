import type { Timeline, TimelineEntry } from '@wabakit/server/control-types'
import { DeliveryStatus } from '../components/status.tsx'
import { WaitText } from '../components/time.tsx'
import { reveal } from '../format/mask.ts'
import { formatDuration, formatTime } from '../format/time.ts'
import { type Axis, placeAttempts } from './scale.ts'

/** The delivery and the attempt that are selected in a timeline. `undefined` means the last attempt. */
export type TimelineSelection = { readonly deliveryId: string; readonly attempt: number | undefined }

const signs = { duplicate: '2×', reordered: '⇄', overtaken: '⇢', gap: '∅' } as const

export const MarkSign = ({ marks }: { readonly marks: TimelineEntry['marks'] }) => (
  <>
    {marks.map(({ kind, text }) => (
      <span key={kind} class="mark" role="img" aria-label={text} title={text}>
        {signs[kind]}
      </span>
    ))}
  </>
)

export type TimelineDelivery = Timeline['deliveries'][number]

export type DeliveryRowProps = Axis & {
  readonly delivery: TimelineDelivery
  readonly entries: readonly TimelineEntry[]
  /** The minimum width of an attempt, in pixels. */
  readonly minWidth: number
  readonly selected: TimelineSelection | undefined
  readonly onSelect: (selection: TimelineSelection) => void
}

/** The width of a mark and of the space before it, in pixels. */
const markWidth = 24

export const DeliveryRow = (props: DeliveryRowProps) => {
  const { delivery, entries, minWidth, nowX, place, width, selected, onSelect } = props
  const { id, eventName, createdAt, finishedAt, wait, marks } = delivery
  const own = entries.filter((entry) => 'deliveryId' in entry && entry.deliveryId === id)
  const next = own.find(({ kind }) => kind === 'next_attempt')
  const toX = (time: number): number => place(time) * width
  const start = toX(Date.parse(createdAt))
  const attempts = own.flatMap((entry) => (entry.kind === 'attempt' ? [entry] : []))
  const lasting = attempts.map(({ at, attempt: { durationMs }, marks: ofAttempt }) => {
    const x = toX(Date.parse(at))
    const least = minWidth + ofAttempt.length * markWidth
    return { x, least, width: Math.max(least, toX(Date.parse(at) + durationMs) - x) }
  })
  const nextPlace = next && { x: toX(Date.parse(next.at)), width: minWidth }
  const { places, nextX } = placeAttempts(lasting, nextPlace, { nowX, width })
  const end = finishedAt === null ? Math.max(nowX, nextX ?? 0) : toX(Date.parse(finishedAt))
  const isSelected = selected?.deliveryId === id
  const select = (attempt?: number): void => onSelect({ deliveryId: id, attempt })
  return (
    <div class={`lane-row delivery selectable ${isSelected ? 'selected' : ''}`}>
      <button type="button" class="lane-label" aria-pressed={isSelected} onClick={() => select()}>
        <span class="first">
          <span class="name truncated">{reveal(eventName)}</span>
          <MarkSign marks={marks} />
          <DeliveryStatus {...delivery} />
        </span>
        {wait && (
          <span class="wait">
            <WaitText wait={wait} />
          </span>
        )}
      </button>
      <div class="track">
        <span
          class={`span ${finishedAt === null ? 'open' : ''}`}
          style={{ left: `${start}px`, width: `${Math.max(end - start, 2)}px` }}
        />
        {attempts.map(({ at, attempt, marks: ofAttempt }, index) => {
          const { number, status, error, succeeded, deferred, durationMs } = attempt
          const tone = succeeded ? 'good' : deferred ? 'warn' : 'bad'
          return (
            <button
              key={number}
              type="button"
              class={`try ${tone}`}
              aria-pressed={isSelected && selected?.attempt === number}
              style={{ left: `${places[index]?.x}px`, width: `${places[index]?.width}px` }}
              title={`Attempt ${number}: ${status ?? error}, ${formatDuration(durationMs)}, at ${formatTime(at)}`}
              onClick={() => select(number)}
            >
              <span>
                <small>#{number}</small>
                {status ?? '×'}
              </span>
              <MarkSign marks={ofAttempt} />
            </button>
          )
        })}
        {next?.kind === 'next_attempt' && (
          <span
            class="next"
            style={{ left: `${nextX}px`, width: `${minWidth}px` }}
            title={`Attempt ${next.number} at ${formatTime(next.at)}`}
          >
            #{next.number}
          </span>
        )}
      </div>
    </div>
  )
}
