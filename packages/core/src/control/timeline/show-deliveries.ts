import type { DeliveryRecord, ReferenceServer } from '../../index.ts'
import { toCallSubject, toGroupSubject } from '../../simulation/index.ts'
import { type DeliveryView, showDelivery } from '../views/delivery.ts'
import { diagnose } from '../views/diagnosis.ts'

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
  const lastAttempts = new Map(attempts.map((attempt) => [attempt.deliveryId, attempt]))
  return deliveries.map((delivery) => {
    const last = lastAttempts.get(delivery.id)
    const lastResponse = last && {
      status: last.status,
      error: last.error,
      cause: diagnose(last, delivery.status)?.cause ?? null,
    }
    return showDelivery(delivery, {
      lastResponse: lastResponse ?? null,
      ...namesBySubject.get(delivery.subject),
    })
  })
}
