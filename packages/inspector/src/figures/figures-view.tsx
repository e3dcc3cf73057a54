import type { Overview, SubscriptionOverview } from '@wabakit/server/control-types'
import type { ComponentChildren } from 'preact'
import { RecordLink } from '../components/record-link.tsx'
import { StatusHelp } from '../components/status.tsx'
import { TableHead } from '../components/table-head.tsx'
import { toGuideUrl } from '../detail/guides.ts'
import { formatAge, formatCount, formatLatency, formatRate, formatShort } from '../format/numbers.ts'
import { formatDuration } from '../format/time.ts'
import { getNow } from '../state/now.ts'
import { failing, navigate, type Params, unfinished, type View } from '../state/route.ts'
import { Chart } from './chart.tsx'

type TileProps = {
  readonly title: string
  readonly value: string
  readonly note?: ComponentChildren
  readonly tone?: 'bad' | 'warn' | undefined
  readonly view: View
  readonly filters: Params
}

/** A number that links to the records that it counts. */
const Tile = ({ title, value, note, tone, view, filters }: TileProps) => (
  <div class={`tile ${tone ?? ''}`}>
    <dt>{title}</dt>
    <dd>
      <RecordLink view={view} filters={filters}>
        {value}
      </RecordLink>
      {note && <small>{note}</small>}
    </dd>
  </div>
)

type FiguresProps = {
  readonly figures: Overview | SubscriptionOverview
  /** Filters that select the records behind the figures. */
  readonly filters: Params
}

const lengths = new Map([
  [60_000, 'minute'],
  [600_000, '10 minutes'],
  [3_600_000, 'hour'],
  [21_600_000, '6 hours'],
  [86_400_000, 'day'],
  [604_800_000, 'week'],
])

/** Returns the end of the last point, or `undefined` if it contains the current time. */
const getEnd = ({ times, stepMs }: FiguresProps['figures']): string | undefined => {
  const end = Date.parse(times.at(-1) ?? '') + stepMs
  return end > getNow() ? undefined : new Date(end).toISOString()
}

/** The numbers of an organization or an endpoint. Each leads to the records behind it. */
export const Tiles = ({ figures, filters }: FiguresProps) => {
  const { totals, latency, backlog, times } = figures
  const [from, before] = [times[0], getEnd(figures)]
  const attempted = { ...filters, attemptedFrom: from, attemptedBefore: before }
  return (
    <dl class="tiles">
      {'events' in totals && (
        <Tile
          title="Events"
          value={formatCount(totals.events)}
          view="events"
          filters={{ ...filters, from, before }}
        />
      )}
      <Tile
        title="Delivered"
        value={formatCount(totals.delivered)}
        view="deliveries"
        filters={{ ...filters, status: 'delivered', finishedFrom: from, finishedBefore: before }}
      />
      <Tile
        title="Failed attempts"
        value={formatCount(totals.failed)}
        tone={totals.failed > 0 ? 'bad' : undefined}
        note={totals.exhausted > 0 && `${formatCount(totals.exhausted)} exhausted`}
        view="deliveries"
        filters={{ ...attempted, anyResponse: failing.response }}
      />
      <Tile
        title="Success rate"
        value={formatRate(totals.successRate)}
        note="of all attempts"
        view="deliveries"
        filters={attempted}
      />
      <Tile
        title="Response time, p50"
        value={formatLatency(latency.p50Ms)}
        note={`p95 ${formatLatency(latency.p95Ms)}`}
        view="deliveries"
        filters={attempted}
      />
      <Tile
        title="Unfinished now"
        value={formatCount(backlog.unfinished)}
        tone={(backlog.unfinished ?? 0) > 0 ? 'warn' : undefined}
        note={backlog.oldestAt && `oldest ${formatAge(backlog.oldestAt)}`}
        view="deliveries"
        filters={{ ...filters, status: unfinished }}
      />
    </dl>
  )
}

const Causes = ({ figures, filters }: FiguresProps) => {
  const { failures, times } = figures
  if (failures.length === 0) return null
  return (
    <section class="causes" aria-label="Failures by cause">
      <h3>Failures by cause</h3>
      <ul>
        {failures.map(({ cause, text, remedy, attempts, response }) => (
          <li key={cause}>
            <RecordLink
              view="deliveries"
              filters={{
                ...filters,
                anyResponse: response,
                attemptedFrom: times[0],
                attemptedBefore: getEnd(figures),
              }}
            >
              {formatCount(attempts)} {attempts === 1 ? 'attempt' : 'attempts'}
              <span class="sr-only"> ({cause.replaceAll('_', ' ')})</span>
            </RecordLink>
            <span>
              <strong>{text}</strong> {remedy}{' '}
              <a class="record" href={toGuideUrl(cause)} target="_blank" rel="noreferrer">
                Read the guide<span class="sr-only"> ({cause.replaceAll('_', ' ')})</span>
              </a>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const Latencies = ({ latency: { buckets } }: Pick<Overview, 'latency'>) => (
  <details>
    <summary>Distribution of the response times</summary>
    <table>
      <TableHead columns={{ 'At most': '', Attempts: 'number' }} />
      <tbody>
        {buckets.map(({ atMostMs, attempts }, index) => (
          <tr key={atMostMs}>
            <th scope="row">
              {formatDuration(atMostMs)}
              {index === buckets.length - 1 && ' or longer'}
            </th>
            <td class="number">{formatCount(attempts)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Total</th>
          <td class="number">{formatCount(buckets.reduce((sum, { attempts }) => sum + attempts, 0))}</td>
        </tr>
      </tfoot>
    </table>
  </details>
)

/** Returns which points have rotations of secrets, or endpoints that were disabled. */
const findMarks = ({ series: { rotated, disabled } }: FiguresProps['figures']) => {
  const marks = new Map<number, string>()
  for (const index of rotated.keys()) {
    const texts = [rotated[index] ? 'secret rotated' : '', disabled[index] ? 'endpoint disabled' : '']
    if (texts.some(Boolean)) marks.set(index, texts.filter(Boolean).join(', '))
  }
  return marks
}

export const Charts = ({ figures, filters }: FiguresProps) => {
  const { times, series, latency, stepMs } = figures
  const open = (from: string, before = getEnd(figures)): void =>
    navigate('deliveries', { ...filters, attemptedFrom: from, attemptedBefore: before })
  const shared = {
    times,
    marks: findMarks(figures),
    isRunning: getEnd(figures) === undefined,
    empty: 'No attempts in this time.',
    onOpen: open,
  }
  return (
    <>
      <Causes figures={figures} filters={filters} />
      <div class="charts">
        <Chart
          {...shared}
          title={`${'events' in series ? 'Events and attempts' : 'Attempts'} per ${lengths.get(stepMs)}`}
          isCount
          series={[
            { label: 'delivered', tone: 'good', values: series.delivered },
            { label: 'failed', tone: 'bad', values: series.failed },
            ...('events' in series
              ? [{ label: 'events', tone: 'busy', values: series.events } as const]
              : []),
          ]}
          format={formatCount}
          formatShort={formatShort}
        />
        <Chart
          {...shared}
          title="Response time"
          series={[
            { label: 'p50', tone: 'busy', values: series.p50Ms },
            { label: 'p95', tone: 'warn', values: series.p95Ms },
          ]}
          format={formatDuration}
        />
      </div>
      <div>
        <Latencies latency={latency} />
        <StatusHelp />
      </div>
    </>
  )
}
