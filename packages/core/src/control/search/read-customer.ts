import { toCallSubject, toGroupSubject } from '../../simulation/index.ts'
import { parseDigits } from '../../values/phone-number.ts'
import type { ControlContext } from '../operation.ts'
import { showDeliveries } from '../timeline/show-deliveries.ts'
import { showCall } from '../views/call.ts'
import { showParticipant } from '../views/group.ts'

/** Maximum numbers of records: calls and memberships, deliveries of each of them, and deliveries in total. */
const most = { subjects: 20, deliveriesOfSubject: 10, deliveries: 100 } as const

/**
 * Reads what is stored about a customer. Returns `undefined` if there is nothing. @throws InputError if the
 * text is not a phone number.
 */
export const readCustomer = async (
  { service }: Pick<ControlContext, 'service'>,
  organizationId: string,
  number: string,
) => {
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
  const deliveries = await Promise.all(
    selections.map((selection) =>
      service.deliveries.list(organizationId, {
        ...selection,
        order: 'newest_first',
        limit: most.deliveriesOfSubject,
      }),
    ),
  )
  const newest = deliveries
    .flatMap(({ items }) => items)
    .sort((left, right) => right.createdAt - left.createdAt)
    .slice(0, most.deliveries)
  return {
    number: known,
    digits,
    calls: found.flatMap((each) => (each === undefined ? [] : showCall(each.call, each.summary))),
    hasMoreCalls: calls.nextCursor !== undefined,
    memberships: memberships.map(showParticipant),
    deliveries: await showDeliveries(service, newest),
  }
}
