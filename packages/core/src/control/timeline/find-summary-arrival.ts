import type { CallRecord, DeliveryRecord, ReferenceServer } from '../../index.ts'
import { toCallSubject } from '../../simulation/index.ts'
import type { SummaryArrival } from '../views/call.ts'

const isGivenUp = ({ status }: DeliveryRecord): boolean => status === 'exhausted' || status === 'skipped'

/**
 * Returns whether a delivery has failed and will be attempted again. Later ones of its lane wait until it has failed three times,
 * and those that `waitsFor` its event until it is finished.
 */
const isRepeated = ({ finishedAt, failures }: DeliveryRecord): boolean => finishedAt === null && failures > 0

const countEndpoints = (deliveries: readonly DeliveryRecord[]): number =>
  new Set(deliveries.map(({ subscriptionId }) => subscriptionId)).size

/**
 * Returns whether the summary of a call has arrived. If not, a delivery of the same call to the same subscription that
 * has failed counts as a failure of the summary, too, while it is repeated: most likely, it holds the summary back.
 */
export const judgeSummaryArrival = (deliveries: readonly DeliveryRecord[]): SummaryArrival => {
  const summaries = deliveries.filter(({ eventName }) => eventName === 'CALL_AI_SUMMARY')
  const missing = summaries.filter(({ status }) => status !== 'delivered')
  const counts = { summaryEndpoints: countEndpoints(summaries), summaryMissing: countEndpoints(missing) }
  if (missing.length === 0) return { summaryArrival: summaries.length > 0 ? 'delivered' : null, ...counts }
  const lanes = new Set(missing.map(({ subscriptionId }) => subscriptionId))
  const isHeldBack = deliveries.some((each) => lanes.has(each.subscriptionId) && isRepeated(each))
  const hasFailed = isHeldBack || missing.some(isGivenUp)
  return { summaryArrival: hasFailed ? 'not_delivered' : 'under_way', ...counts }
}

/** Reads the deliveries of a call and returns whether its summary has arrived. */
export const findSummaryArrival = async (
  { deliveries }: Pick<ReferenceServer, 'deliveries'>,
  { organizationId, callId, state }: CallRecord,
): Promise<SummaryArrival> => {
  // Only an ended call has a summary, and looking for it takes a request to the store.
  if (state !== 'ended') return judgeSummaryArrival([])
  const query = { subject: toCallSubject(callId), order: 'newest_first', limit: 100 } as const
  const { items } = await deliveries.list(organizationId, query)
  return judgeSummaryArrival(items)
}
