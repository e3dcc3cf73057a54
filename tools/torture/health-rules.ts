import type { Contents } from './contents.ts'

type Report = (rule: string, what: string) => void

/**
 * Checks that each health change that results from attempts is published once, and that `failing` and `recovered`
 * alternate.
 */
export const checkHealth = (
  { health, reported, deliveries }: Pick<Contents, 'health' | 'reported' | 'deliveries'>,
  report: Report,
): void => {
  const last = new Map<string, string>()
  const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId)
  for (const { type, data } of health) {
    const { subscriptionId, eventId, attempts } = data
    if (last.get(subscriptionId) === type) report('reported twice', `${type} of ${subscriptionId}`)
    if (!last.has(subscriptionId) && type !== 'subscription.failing')
      report('reported without a cause', `${type} of ${subscriptionId}`)
    last.set(subscriptionId, type)
    const isCause = byEvent
      .get(eventId)
      ?.some((each) =>
        type === 'subscription.recovered'
          ? each.status === 'delivered' && each.attempts === attempts
          : each.attempts > attempts,
      )
    if (!isCause)
      report(
        'reported without a cause',
        `${type} of ${subscriptionId} after ${attempts} attempts of ${eventId}`,
      )
  }
  // The failed delivery was delivered later.
  const areDelivered = deliveries.every(({ status }) => status === 'delivered')
  for (const [subscriptionId, type] of last)
    if (areDelivered && type !== 'subscription.recovered') report('recovery not reported', subscriptionId)
  for (const [subscriptionId, isReported] of reported) {
    if (isReported !== (last.get(subscriptionId) === 'subscription.failing'))
      report('final state not reported', subscriptionId)
  }
}
