import * as z from 'zod/mini'
import { notFound } from '../not-found.ts'
import { operation } from '../operation.ts'
import { listOf, named, pageOf } from '../schema-names.ts'
import { identifier } from '../texts.ts'
import { AttemptView, DeliveryStatus, DeliveryView, showAttempt, showDelivery } from '../views/delivery.ts'
import { moment, pageQuery } from './page-query.ts'

const tag = 'Deliveries'
const path = '/organizations/:organizationId/deliveries'
const onePath = `${path}/:deliveryId` as const

const selection = () => ({
  eventId: z.optional(identifier()),
  subscriptionId: z.optional(identifier()),
  occurredFrom: z.optional(moment()),
  occurredBefore: z.optional(moment()),
})

const newWebhookId = () => z.optional(z.boolean())

const Resend = named(
  'ResendRequest',
  'Which deliveries to send again; what is omitted does not restrict. With `newWebhookId` receivers handle what they have handled.',
  z.strictObject({
    ...selection(),
    statuses: z.optional(z.array(DeliveryStatus)),
    newWebhookId: newWebhookId(),
  }),
)

const ResendOne = named(
  'ResendOneRequest',
  'How to send it again. With `newWebhookId` a receiver that has handled it handles it again.',
  z.strictObject({ newWebhookId: newWebhookId() }),
)

const Resent = named('Resent', 'How many deliveries are sent again.', z.object({ resent: z.number() }))

/** Operations on deliveries and their attempts. */
export const deliveryOperations = [
  operation({
    id: 'listDeliveries',
    method: 'GET',
    path,
    summary: 'The deliveries in the order of their events, or the reverse',
    tag,
    query: z.strictObject({
      ...pageQuery(),
      ...selection(),
      status: z.optional(DeliveryStatus),
      order: z.optional(z.enum(['oldest_first', 'newest_first'])),
    }),
    result: pageOf('Delivery', DeliveryView),
    run: async ({ parameter, query: { status, ...query } }, { service }) => {
      const statuses = status && [status]
      const { items, ...rest } = await service.deliveries.list(parameter('organizationId'), {
        ...query,
        statuses,
      })
      return { ...rest, items: items.map(showDelivery) }
    },
  }),
  operation({
    id: 'getDelivery',
    method: 'GET',
    path: onePath,
    summary: 'A delivery',
    tag,
    result: DeliveryView,
    run: async ({ parameter }, { service }) => {
      const deliveryId = parameter('deliveryId')
      const [found] = (await service.deliveries.list(parameter('organizationId'), { deliveryId, limit: 1 }))
        .items
      if (found === undefined) throw notFound('delivery', deliveryId)
      return showDelivery(found)
    },
  }),
  operation({
    id: 'listAttempts',
    method: 'GET',
    path: `${onePath}/attempts`,
    summary: 'The attempts of a delivery, in order',
    tag,
    result: listOf('Attempt', AttemptView),
    run: async ({ parameter }, { service }) => {
      const attempts = await service.deliveries.attempts(parameter('organizationId'), parameter('deliveryId'))
      return { items: attempts.map(showAttempt) }
    },
  }),
  operation({
    id: 'resendDeliveries',
    method: 'POST',
    path: `${path}/resend`,
    summary: 'Send deliveries again: those that are settled, or wait for their next attempt',
    tag,
    body: Resend,
    result: Resent,
    run: async ({ parameter, body: { newWebhookId: isNew, ...which } }, { service }) => ({
      resent: await service.deliveries.resend(parameter('organizationId'), which, { newWebhookId: isNew }),
    }),
  }),
  operation({
    id: 'resendDelivery',
    method: 'POST',
    path: `${onePath}/resend`,
    summary: 'Send a delivery again',
    tag,
    body: ResendOne,
    result: Resent,
    run: async ({ parameter, body }, { service }) => {
      const deliveryId = parameter('deliveryId')
      const organizationId = parameter('organizationId')
      const [found] = (await service.deliveries.list(organizationId, { deliveryId, limit: 1 })).items
      if (found === undefined) throw notFound('delivery', deliveryId)
      return { resent: await service.deliveries.resend(organizationId, { deliveryId }, body) }
    },
  }),
]
