import type { Delivery, Page } from '@wabakit/server/control-types'
import { loadAttempts, sendOwn } from '../api/organization.ts'
import { RecordLink } from '../components/record-link.tsx'
import { LoadProblem } from '../components/status.tsx'
import { useRecord } from '../components/use-record.ts'
import { formatCount } from '../format/numbers.ts'
import { failing, type Params, type Query } from '../state/route.ts'

/** The number of deliveries after which no more pages are read. */
const maxFollowed = 10_000
const pageSize = 1_000

const pollMs = 1_000

/** Reads pages of the deliveries that match until there are 10,000, the newest first unless the query has an order. */
export const readDeliveries = async (query: Query): Promise<Delivery[]> => {
  const found: Delivery[] = []
  for (let cursor: string | undefined; found.length < maxFollowed; ) {
    const page = await sendOwn<Page<Delivery>>(['deliveries'], {
      query: { order: 'newest_first', ...query, limit: pageSize, cursor },
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
export const isResent = ({ status, failures, deferrals }: Delivery): boolean =>
  status !== 'pending' || failures + deferrals > 0

export type ResultsProps = {
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
export const Results = ({ attempted, count, known }: ResultsProps) => {
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
        {rest > 0 && `, ${formatCount(rest)} pending`}.
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
