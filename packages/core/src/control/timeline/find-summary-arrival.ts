import type { CallRecord, DeliveryRecord, ReferenceServer } from '../../index.ts'
import { toCallSubject } from '../../simulation/index.ts'
import type { SummaryArrival } from '../views/call.ts'

const hasFailed = ({ status, failures }: DeliveryRecord): boolean =>
  status === 'exhausted' || status === 'skipped' || (status !== 'delivered' && failures > 0)

/**
 * Returns whether the summary of a call has arrived. If not, a failed delivery of the same call to the same endpoint
 * counts as a failure of the summary, too: most likely, it holds the summary back.
 */
export const findSummaryArrival = async (
  { deliveries }: Pick<ReferenceServer, 'deliveries'>,
  { organizationId, callId, state }: CallRecord,
): Promise<SummaryArrival> => {
  // Only an ended call has a summary, and looking for it takes a request to the store.
  if (state !== 'ended') return null
  const query = { subject: toCallSubject(callId), order: 'newest_first', limit: 100 } as const
  const { items } = await deliveries.list(organizationId, query)
  const missing = items.filter(
    ({ eventName, status }) => eventName === 'CALL_AI_SUMMARY' && status !== 'delivered',
  )
  if (missing.length === 0)
    return items.some(({ eventName }) => eventName === 'CALL_AI_SUMMARY') ? 'delivered' : null
  const lanes = new Set(missing.map(({ subscriptionId }) => subscriptionId))
  const isStuck = items.some((each) => lanes.has(each.subscriptionId) && hasFailed(each))
  return isStuck ? 'not_delivered' : 'under_way'
}
