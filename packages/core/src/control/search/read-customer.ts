import { toCallSubject, toGroupSubject } from '../../simulation/index.ts'
import { parseDigits } from '../../values/phone-number.ts'
import type { ControlContext } from '../operation.ts'
import { judgeSummaryArrival } from '../timeline/find-summary-arrival.ts'
import { listArrivals } from '../timeline/list-arrivals.ts'
import { showDeliveries } from '../timeline/show-deliveries.ts'
import { showCall } from '../views/call.ts'
import { showParticipant } from '../views/group.ts'

/**
 * Maximum numbers: of calls and of memberships whose deliveries are read (`subjects`), of deliveries read and shown for
 * each, and of all deliveries shown.
 */
const most = { subjects: 20, deliveriesOfSubject: 1_000, shownOfSubject: 10, deliveries: 100 } as const

/**
 * Reads the calls and memberships of a customer, and their deliveries. Returns `undefined` if there is neither a call
 * nor a membership.
 *
 * @throws InputError if the text is not a phone number.
 */
export const readCustomer = async (
  context: Pick<ControlContext, 'service' | 'now'>,
  organizationId: string,
  number: string,
) => {
  const { service } = context
  const digits = parseDigits(number, 'number')
  const [calls, memberships] = await Promise.all([
    service.calls.list(organizationId, { customerDigits: digits, limit: most.subjects }),
    service.participants.memberships(organizationId, number),
  ])
  const known = calls.items[0]?.customerNumber ?? memberships[0]?.phone
  if (known === undefined) return undefined
  const found = await Promise.all(calls.items.map(({ callId }) => service.calls.find(organizationId, callId)))
  const selections = [
    ...calls.items.map(({ callId }) => ({ subject: toCallSubject(callId) })),
    ...memberships
      .slice(0, most.subjects)
      .map(({ groupId, phone }) => ({ subject: toGroupSubject(groupId), text: phone })),
  ]
  const lanes = await Promise.all(
    selections.map(async (selection) => {
      const page = { ...selection, order: 'newest_first', limit: most.deliveriesOfSubject } as const
      const { items } = await service.deliveries.list(organizationId, page)
      return { items, endpoints: await listArrivals(context, items.toReversed()) }
    }),
  )
  const newest = lanes
    .flatMap(({ items }) => items.slice(0, most.shownOfSubject))
    .sort((left, right) => right.createdAt - left.createdAt)
    .slice(0, most.deliveries)
  const getEndpoints = (index: number) => lanes[index]?.endpoints ?? []
  return {
    number: known,
    digits,
    calls: found.flatMap((each, index) =>
      each === undefined
        ? []
        : {
            ...showCall(each.call, each.summary),
            ...judgeSummaryArrival(lanes[index]?.items ?? []),
            endpoints: getEndpoints(index),
          },
    ),
    hasMoreCalls: calls.nextCursor !== undefined,
    memberships: memberships.map((each, index) => ({
      ...showParticipant(each),
      endpoints: getEndpoints(calls.items.length + index),
    })),
    deliveries: await showDeliveries(service, newest),
  }
}
