import { useSignal } from '@preact/signals'
import type { Timeline } from '@wabakit/server/control-types'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { exportPage } from '../actions/export-timeline.ts'
import { Button, IconButton } from '../components/button.tsx'
import { Choice } from '../components/choice.tsx'
import { formatDuration, formatTime } from '../format/time.ts'
import { isTrace } from '../state/route.ts'
import { isPhone } from '../state/viewport.ts'
import type { DeliveryRowProps } from './delivery-row.tsx'
import { FlagRow } from './flag-row.tsx'
import { Lane } from './lane.tsx'
import { createScale, fitAttempts, gap, listTicks, listTimes, type Scale, type ScaleMode } from './scale.ts'
import { findVirtualTime } from './virtual-time.ts'

const zoomStep = 1.6
const maxZoom = 40

type TimeAxisProps = {
  readonly scale: Scale
  readonly width: number
  /** `clock` shows the time of day, and `elapsed` the time since the first entry. */
  readonly labels: 'clock' | 'elapsed'
}

const TimeAxis = ({ scale, width, labels }: TimeAxisProps) => {
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
              ⋯ {formatDuration(gapMs)} ⋯
            </span>
          ),
        )}
      </div>
    </div>
  )
}

type TimelineViewProps = Pick<DeliveryRowProps, 'selected' | 'onSelect'> & { readonly timeline: Timeline }

/** The timeline of a call or group: its requests, states and events, and the deliveries to each endpoint. */
export const TimelineView = ({ timeline, selected, onSelect }: TimelineViewProps) => {
  const { entries, subscriptions, deliveries, now } = timeline
  const mode = useSignal<ScaleMode>('compressed')
  const clock = useSignal<'clock' | 'elapsed'>('clock')
  const zoom = useSignal(1)
  const visible = useSignal(800)
  const box = useRef<HTMLDivElement>(null)
  // Measures before the first paint, because the width decides how many lines the events take.
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const measure = (): void => {
      visible.value = element.querySelector('.axis-room')?.clientWidth ?? element.clientWidth
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const most = Math.max(0, ...deliveries.map(({ attempts }) => attempts))
  // At this width, an attempt is easy to click or tap.
  const easy = isPhone.value ? 44 : 34
  const minWidth = fitAttempts(most + 1, { axis: visible.value, easy })
  const room = minWidth + gap
  // Wider than the page if the attempts of a delivery and the next one do not fit side by side.
  const least = (most + 1) * room + gap
  const width = Math.max(visible.value, least) * zoom.value

  const zoomBy = (factor: number): void => {
    const element = box.current
    if (element === null) return
    const before = (element.scrollLeft + visible.value / 2) / width
    const wanted = Math.min(Math.max(zoom.value * factor, 1), maxZoom)
    const grown = (width * wanted) / zoom.value
    zoom.value = wanted
    requestAnimationFrame(() => {
      element.scrollLeft = before * grown - visible.value / 2
    })
  }

  const scale = createScale(listTimes(timeline), mode.value)
  // Leaves room for the next attempts.
  const end = entries.some((entry) => entry.kind === 'next_attempt') ? width - room - gap : width
  // Leaves room for all attempts before the line of the current time.
  const nowX = Math.min(Math.max(scale.place(Date.parse(now)) * width, most * room), end)
  const axis = { place: scale.place, width, nowX }
  const [kind = '', ...id] = timeline.subject.split(':')
  const filters = { [kind]: id.join(':') }
  const virtual = findVirtualTime(entries)
  return (
    <section class="timeline" aria-label="Timeline">
      <header>
        <h3>Timeline</h3>
        {virtual && (
          <span
            class="virtual-time"
            title={`The simulated call claims these times. The server published its events at ${formatTime(new Date(virtual.to).toISOString())}.`}
          >
            virtual time
          </span>
        )}
        <Choice
          label="Time axis"
          value={mode.value}
          choices={[
            { value: 'compressed', label: 'Compressed', title: 'Long pauses take little space' },
            { value: 'linear', label: 'Linear', title: 'Every second takes the same space' },
          ]}
          onChange={(value) => (mode.value = value)}
        />
        <Choice
          label="Labels"
          value={clock.value}
          choices={[
            { value: 'clock', label: 'Clock', title: 'Time of day' },
            { value: 'elapsed', label: 'Elapsed', title: 'Time since the first entry' },
          ]}
          onChange={(value) => (clock.value = value)}
        />
        <span class="zoom">
          <span class="quiet">Zoom</span>
          <IconButton
            icon="remove"
            label="Zoom out"
            onClick={() => zoomBy(1 / zoomStep)}
            disabled={zoom.value === 1}
          />
          <IconButton icon="add" label="Zoom in" onClick={() => zoomBy(zoomStep)} />
          <Button onClick={() => (zoom.value = 1)} disabled={zoom.value === 1}>
            Fit
          </Button>
        </span>
        {!isTrace &&
          (isPhone.value ? (
            <Button icon="download" onClick={() => exportPage(timeline)}>
              Export as HTML file
            </Button>
          ) : (
            <IconButton icon="download" label="Export as HTML file" onClick={() => exportPage(timeline)} />
          ))}
      </header>
      {/* A phone shows no scrollbar. */}
      {least > visible.value && <p class="hint quiet">Scroll sideways to see all {most} attempts.</p>}
      <div
        class="lanes"
        ref={box}
        tabIndex={0}
        role="group"
        aria-label="Lanes"
        onWheel={(event) => {
          if (!event.ctrlKey && !event.metaKey) return
          event.preventDefault()
          zoomBy(event.deltaY < 0 ? 1.2 : 1 / 1.2)
        }}
      >
        <div class="axis-room" aria-hidden="true" />
        <div class="lane-rows" style={{ '--axis': `${width}px` }}>
          <TimeAxis scale={scale} width={width} labels={clock.value} />
          <FlagRow title="API requests" kind="request" entries={entries} filters={filters} {...axis} />
          <FlagRow title="State" kind="change" entries={entries} filters={filters} {...axis} />
          <FlagRow title="Events" kind="event" entries={entries} filters={filters} {...axis} />
          {subscriptions.map((subscription) => (
            <Lane
              key={subscription.id}
              url={subscription.url}
              deliveries={deliveries.filter(({ subscriptionId }) => subscriptionId === subscription.id)}
              {...{ entries, minWidth, selected, onSelect, ...axis }}
            />
          ))}
          {virtual && (
            <div
              class="virtual"
              style={{
                '--from': `${scale.place(virtual.from) * width}px`,
                '--to': `${scale.place(virtual.to) * width}px`,
              }}
            />
          )}
          <div class="now" style={{ '--x': `${axis.nowX}px` }}>
            <span>now</span>
          </div>
        </div>
      </div>
    </section>
  )
}
