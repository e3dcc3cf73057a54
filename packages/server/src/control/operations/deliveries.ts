import type { ReferenceServer } from '@wabakit/core'
import * as z from 'zod/mini'
import { requireFound } from '../control-error.ts'
import { DeliveryFilter, order, selectDeliveries } from '../filters.ts'
import { operation } from '../operation.ts'
import { list, named, page, pageQuery } from '../schemas.ts'
import { AttemptView, DeliveryView, showAttempt, showDelivery } from '../views/delivery.ts'

const tag = 'Deliveries'
const path = '/organizations/:organizationId/deliveries'
const onePath = `${path}/:deliveryId` as const

const newWebhookId = () => z.optional(z.boolean())

const Resend = named(
  'ResendRequest',
  'The deliveries to resend. Omitted fields match all deliveries. With `newWebhookId`, receivers handle events again that they have already handled.',
  z.extend(DeliveryFilter, { newWebhookId: newWebhookId() }),
)

const ResendOne = named(
  'ResendOneRequest',
  'With `newWebhookId`, a receiver handles the event again if it has already handled it.',
  z.strictObject({ newWebhookId: newWebhookId() }),
)

const Resent = named(
  'Resent',
  'The number of deliveries that are sent again.',
  z.object({ resent: z.number() }),
)

const getDelivery = async ({ deliveries }: ReferenceServer, organizationId: string, deliveryId: string) => {
  const { items } = await deliveries.list(organizationId, { deliveryId, limit: 1 })
  return requireFound(items[0], 'delivery', deliveryId)
}

/** Operations on deliveries and their attempts. */
export const deliveryOperations = [
  operation({
    id: 'listDeliveries',
    method: 'GET',
    path,
    summary: 'List deliveries in the order of their events',
    tag,
    query: z.extend(DeliveryFilter, { ...pageQuery(), order: order() }),
    result: page('Delivery', DeliveryView),
    run: async ({ parameter, query: { cursor, limit, order, ...filter } }, { service }) => {
      const { items, ...rest } = await service.deliveries.list(parameter('organizationId'), {
        ...selectDeliveries(filter),
        cursor,
        limit,
        order,
      })
      return { ...rest, items: items.map(showDelivery) }
    },
  }),
  operation({
    id: 'getDelivery',
    method: 'GET',
    path: onePath,
    summary: 'Get a delivery',
    tag,
    result: DeliveryView,
    run: async ({ parameter }, { service }) => {
      return showDelivery(await getDelivery(service, parameter('organizationId'), parameter('deliveryId')))
    },
  }),
  operation({
    id: 'listAttempts',
    method: 'GET',
    path: `${onePath}/attempts`,
    summary: 'List the attempts of a delivery',
    tag,
    result: list('Attempt', AttemptView),
    run: async ({ parameter }, { service }) => {
      const attempts = await service.deliveries.attempts(parameter('organizationId'), parameter('deliveryId'))
      return { items: attempts.map(showAttempt) }
    },
  }),
  operation({
    id: 'resendDeliveries',
    method: 'POST',
    path: `${path}/resend`,
    summary: 'Resend deliveries that are finished or waiting for another attempt',
    tag,
    body: Resend,
    result: Resent,
    run: async ({ parameter, body: { newWebhookId: isNew, ...filter } }, { service }) => ({
      resent: await service.deliveries.resend(parameter('organizationId'), selectDeliveries(filter), {
        newWebhookId: isNew,
      }),
    }),
  }),
  operation({
    id: 'resendDelivery',
    method: 'POST',
    path: `${onePath}/resend`,
    summary: 'Resend a delivery',
    tag,
    body: ResendOne,
    result: Resent,
    run: async ({ parameter, body }, { service }) => {
      const deliveryId = parameter('deliveryId')
      const organizationId = parameter('organizationId')
      await getDelivery(service, organizationId, deliveryId)
      return { resent: await service.deliveries.resend(organizationId, { deliveryId }, body) }
    },
  }),
]
