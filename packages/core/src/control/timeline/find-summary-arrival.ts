import type { CallRecord, DeliveryRecord, ReferenceServer } from '../../index.ts'
import { toCallSubject } from '../../simulation/index.ts'
import type { SummaryArrival } from '../views/call.ts'

const isGivenUp = ({ status }: DeliveryRecord): boolean => status === 'exhausted' || status === 'skipped'

/** Returns whether a delivery has failed and is repeated. Until it is delivered or given up, later ones wait. */
const isRepeated = ({ finishedAt, failures }: DeliveryRecord): boolean => finishedAt === null && failures > 0

/**
 * Returns whether the summary of a call has arrived. If not, a delivery of the same call to the same endpoint that has
 * failed counts as a failure of the summary, too, while it is repeated: most likely, it holds the summary back.
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
  const isHeldBack = items.some((each) => lanes.has(each.subscriptionId) && isRepeated(each))
  return isHeldBack || missing.some(isGivenUp) ? 'not_delivered' : 'under_way'
}
