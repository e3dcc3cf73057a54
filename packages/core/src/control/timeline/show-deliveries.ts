import type { DeliveryRecord, ReferenceServer } from '../../index.ts'
import { toCallSubject, toGroupSubject } from '../../simulation/index.ts'
import { type DeliveryView, showDelivery } from '../views/delivery.ts'

type Service = Pick<ReferenceServer, 'deliveries' | 'calls' | 'groups'>
type Named = { readonly customerNumber?: string; readonly groupName?: string }

const [callPrefix, groupPrefix] = [toCallSubject(''), toGroupSubject('')]

const nameSubject = async (service: Service, organizationId: string, subject: string): Promise<Named> => {
  if (subject.startsWith(callPrefix)) {
    const found = await service.calls.find(organizationId, subject.slice(callPrefix.length))
    return found === undefined ? {} : { customerNumber: found.call.customerNumber }
  }
  if (!subject.startsWith(groupPrefix)) return {}
  const found = await service.groups.find(organizationId, subject.slice(groupPrefix.length))
  return found === undefined ? {} : { groupName: found.subject }
}

/** Shows deliveries with their last responses and their customers or groups. */
export const showDeliveries = async (
  service: Service,
  deliveries: readonly DeliveryRecord[],
): Promise<DeliveryView[]> => {
  const [first] = deliveries
  if (first === undefined) return []
  const { organizationId } = first
  const subjects = [...new Set(deliveries.map(({ subject }) => subject))]
  const attempted = deliveries.filter(({ attempts }) => attempts > 0).map(({ id }) => id)
  const [attempts, names] = await Promise.all([
    service.deliveries.lastAttempts(organizationId, attempted),
    Promise.all(
      subjects.map((subject) => nameSubject(service, organizationId, subject).catch((): Named => ({}))),
    ),
  ])
  const namesBySubject = new Map(subjects.map((subject, index) => [subject, names[index]]))
  const responses = new Map(attempts.map(({ deliveryId, status, error }) => [deliveryId, { status, error }]))
  return deliveries.map((delivery) =>
    showDelivery(delivery, {
      lastResponse: responses.get(delivery.id) ?? null,
      ...namesBySubject.get(delivery.subject),
    }),
  )
}
