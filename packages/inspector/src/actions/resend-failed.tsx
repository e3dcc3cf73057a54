import { useSignal } from '@preact/signals'
import type { Delivery, Page } from '@wabakit/server/control-types'
import { getMessage } from '../api/api-error.ts'
import { loadAttempts, sendOwn } from '../api/organization.ts'
import { reloadAll } from '../api/reload.ts'
import { findSubscription, nameEndpoint } from '../api/subscriptions.ts'
import { Button } from '../components/button.tsx'
import { Choice } from '../components/choice.tsx'
import { Dialog, type DialogControl, openDialog } from '../components/dialog.tsx'
import { Facts } from '../components/facts.tsx'
import { RecordLink } from '../components/record-link.tsx'
import { LoadProblem, Problem } from '../components/status.tsx'
import { Time } from '../components/time.tsx'
import { useRecord } from '../components/use-record.ts'
import { formatCount } from '../format/numbers.ts'
import { getNow } from '../state/now.ts'
import { failing, type Params, type Query } from '../state/route.ts'
import { countByEndpoint, resend, type Share, ShareList } from './resend-matching.tsx'
import { StillFailing } from './still-failing.tsx'

const notDelivered = 'pending,exhausted,skipped'

const periods = [
  { value: 'hour', label: 'the last hour', title: 'Events of the last hour', ms: 3_600_000 },
  { value: 'day', label: 'the last day', title: 'Events of the last day', ms: 86_400_000 },
  { value: 'week', label: 'the last week', title: 'Events of the last week', ms: 604_800_000 },
  { value: '', label: 'any time', title: 'All events that are stored' },
]
const range = { value: 'range', label: 'the range shown', title: 'Events of the range that the page shows' }

/** Number of deliveries from which on no more pages are read to follow results, and the maximum on a page. */
const most = { followed: 10_000, page: 1_000 } as const

const pollMs = 1_000
/** How much earlier than the resend an attempt may seem to start, in milliseconds: the server's clock may differ. */
const clockToleranceMs = 600_000

/** Reads pages of the deliveries that match until there are 10,000, the newest first unless the query has an order. */
const readDeliveries = async (query: Query): Promise<Delivery[]> => {
  const found: Delivery[] = []
  for (let cursor: string | undefined; found.length < most.followed; ) {
    const page = await sendOwn<Page<Delivery>>(['deliveries'], {
      query: { order: 'newest_first', ...query, limit: most.page, cursor },
    })
    found.push(...page.items)
    cursor = page.nextCursor
    if (cursor === undefined) break
  }
  return found
}

/**
 * Returns whether the server resends a delivery. It leaves out one that has not been attempted since it was created or last
 * resent, because nothing would change.
 */
const isResent = ({ status, failures, deferrals }: Delivery): boolean =>
  status !== 'pending' || failures + deferrals > 0

type ResultsProps = {
  /** Selects what has been attempted since shortly before the resend, among the events that it was about. */
  readonly attempted: Params
  /** The number of deliveries that were resent. */
  readonly count: number
  /** The numbers of attempts before the resend, by the ids of the deliveries. */
  readonly known: ReadonlyMap<string, number>
}

/** Explains the most frequent cause of failed deliveries in the words of an attempt, and counts those that it explains. */
const explainFailures = async (failed: readonly Delivery[]) => {
  const byCause = Map.groupBy(failed, ({ lastResponse }) => lastResponse?.cause)
  const [most = []] = [...byCause.values()].toSorted((left, right) => right.length - left.length)
  const [example] = most
  if (example === undefined) return undefined
  const text = (await loadAttempts(example.id)).findLast(({ diagnosis }) => diagnosis)?.diagnosis?.text
  return text && { text, count: most.length }
}

/** The numbers of resent deliveries that have arrived or failed so far, and the most frequent cause of failures. */
const Results = ({ attempted, count, known }: ResultsProps) => {
  const { value, problem } = useRecord({
    load: async () => {
      // Oldest first, because the resent deliveries are mostly older than those of new events, which could exceed the maximum.
      const deliveries = await readDeliveries({ ...attempted, order: 'oldest_first' })
      const ended = deliveries.filter(({ id, attempts }) => attempts > (known.get(id) ?? Infinity))
      const failed = ended.filter(({ status, failures }) => status !== 'delivered' && failures > 0)
      const delivered = ended.filter(({ status }) => status === 'delivered').length
      return { delivered, failed: failed.length, cause: await explainFailures(failed) }
    },
    pollMs,
  })
  const { failed = 0, cause } = value ?? {}
  // At most the number of resent ones, because the server may have attempted others on its own just before the resend.
  const delivered = Math.min(count, value?.delivered ?? 0)
  const rest = Math.min(count, known.size) - delivered - failed
  return (
    <>
      <LoadProblem text={problem} />
      <p role="status" class="results">
        {formatCount(count)} resent: {formatCount(delivered)} delivered, {formatCount(failed)} failed
        {rest > 0 && `, ${formatCount(rest)} under way`}.
        {cause && ` ${cause.count < failed ? `${formatCount(cause.count)} of them: ` : ''}${cause.text}`}
      </p>
      <p>
        <RecordLink view="deliveries" filters={failed > 0 ? { ...attempted, ...failing } : attempted}>
          Open
        </RecordLink>
      </p>
    </>
  )
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

type Offer = {
  /** The id of an endpoint. If unset, the deliveries to all endpoints are offered. */
  readonly subscription: string | undefined
  /** The period that the page shows, as the control API takes it: a window of the charts, or a range of times. */
  readonly shown: Params
}

const ResendFailed = ({ subscription, shown, onClose }: Offer & DialogControl) => {
  const isRange = Boolean(shown.from || shown.before)
  const period = useSignal(isRange ? range.value : (shown.window ?? ''))
  const isAll = useSignal(false)
  const counted = useSignal<number | undefined>(0)
  const resent = useSignal<number | undefined>(undefined)
  const problem = useSignal('')
  const results = useSignal<ResultsProps | undefined>(undefined)
  const { ms } = periods.find(({ value }) => value === period.value) ?? {}
  const times =
    period.value === range.value
      ? { from: shown.from || undefined, before: shown.before || undefined }
      : { from: ms === undefined ? ms : new Date(getNow() - ms).toISOString() }
  const select = (status: string) => ({ subscription, status, ...times })
  /** Counts the deliveries of the period, but only if the number is needed, because the server has to read each of them. */
  const useCount = (status: string, isNeeded: boolean) => {
    const { value, problem } = useRecord(
      {
        load: async (signal) => ({
          period: period.value,
          shares: isNeeded ? await countByEndpoint(select(status), counted, signal) : undefined,
        }),
      },
      [period.value, isNeeded],
    )
    return { shares: value?.period === period.value ? value.shares : undefined, problem }
  }
  const isAsking = results.value === undefined
  const missing = useCount(notDelivered, isAsking)
  const delivered = useCount('delivered', isAsking && isAll.value)
  const counts = isAll.value ? [missing.shares, delivered.shares] : [missing.shares]
  const shares = new Map<string, number>()
  for (const { id, count } of counts.flatMap((known) => known ?? []))
    shares.set(id, (shares.get(id) ?? 0) + count)
  const total = sum([...shares.values()])
  const endpoints = subscription === undefined ? [...shares.keys()] : [subscription]
  const isFailing = endpoints.some((id) => findSubscription(id)?.state === 'failing')
  const isRunning = resent.value !== undefined

  const confirm = async (): Promise<void> => {
    resent.value = 0
    const attemptedFrom = new Date(getNow() - clockToleranceMs).toISOString()
    const query = select(isAll.value ? `${notDelivered},delivered` : notDelivered)
    try {
      const found = (await readDeliveries(query)).filter(isResent)
      const [from] = found.map(({ createdAt }) => createdAt).toSorted()
      results.value = {
        attempted: { subscription, from, before: times.before, attemptedFrom },
        known: new Map(found.map(({ id, attempts }) => [id, attempts])),
        count: await resend(query, resent),
      }
      reloadAll()
    } catch (error) {
      problem.value = getMessage(error)
      resent.value = undefined
    }
  }

  const toChoice = (all: boolean, text: string, counted: readonly Share[] | undefined) => (
    <label class="line">
      <input type="radio" name="which" checked={isAll.value === all} onChange={() => (isAll.value = all)} />
      <span>
        {text}
        {(isAll.value || !all) &&
          `: ${counted === undefined ? 'counting…' : formatCount(sum(counted.map(({ count }) => count)))}`}
      </span>
    </label>
  )
  return (
    <Dialog
      title={`Resend to ${subscription ? nameEndpoint(subscription) : 'all endpoints'}`}
      onClose={onClose}
    >
      <LoadProblem text={missing.problem || delivered.problem} />
      {results.value ? (
        <Results {...results.value} />
      ) : isRunning ? (
        <p role="status">
          {formatCount(resent.value ?? 0)} of {formatCount(total)} resent so far…
        </p>
      ) : (
        <>
          <StillFailing ids={endpoints} onClose={onClose} />
          <div class="line">
            <span>Events of</span>
            <Choice
              label="Events of"
              value={period.value}
              choices={isRange ? [range, ...periods] : periods}
              onChange={(chosen) => (period.value = chosen)}
            />
          </div>
          {period.value === range.value && (
            <Facts
              facts={{
                From: shown.from && <Time at={shown.from} />,
                Before: shown.before && <Time at={shown.before} />,
              }}
            />
          )}
          <fieldset class="several" aria-label="Which deliveries">
            {toChoice(false, 'Failed or skipped deliveries', missing.shares)}
            {toChoice(true, 'Also the delivered ones', delivered.shares)}
          </fieldset>
          {shares.size > 1 && <ShareList shares={[...shares].map(([id, count]) => ({ id, count }))} />}
          <p class="quiet">
            Each keeps its webhook-id, so a receiver that has handled it does not handle it again. Waiting
            deliveries are not counted: they follow on their own.
          </p>
        </>
      )}
      <Problem text={problem.value} />
      <footer>
        {results.value ? (
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              // A resend to an endpoint that still fails is not what the dialog recommends.
              {...(!isFailing && { kind: 'primary' })}
              disabled={total === 0 || counts.includes(undefined) || isRunning}
              onClick={confirm}
            >
              Resend {formatCount(total)}
            </Button>
          </>
        )}
      </footer>
    </Dialog>
  )
}

type ResendFailedButtonProps = Offer & {
  /** The end of the label: what it resends to. */
  readonly scope: 'here' | 'to this endpoint' | 'to all endpoints'
  readonly isDisabled?: boolean
}

/** A button that offers to resend what has not been delivered, and then shows what became of it. */
export const ResendFailedButton = ({ scope, isDisabled = false, ...offer }: ResendFailedButtonProps) => (
  <Button
    icon="resend"
    disabled={isDisabled}
    onClick={() => openDialog((close) => <ResendFailed {...offer} onClose={close} />)}
  >
    Resend failed<span class="scope"> {scope}</span>…
  </Button>
)
