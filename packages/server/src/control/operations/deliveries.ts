import type { ReferenceServer } from '@wabakit/core'
import * as z from 'zod/mini'
import { userAgent } from '../../delivery/send-webhook.ts'
import { ControlError, requireFound } from '../control-error.ts'
import { DeliveryFilter, order, selectDeliveries } from '../filters.ts'
import { checkPayload } from '../forged-events.ts'
import { type ControlContext, operationIn } from '../operation.ts'
import { describe, list, named, page, pageQuery } from '../schemas.ts'
import { explainDelivery } from '../timeline/read-timeline.ts'
import { showDeliveries } from '../timeline/show-deliveries.ts'
import { AttemptView, DeliveryView, SentRequestView, showAttempt, showDelivery } from '../views/delivery.ts'

const operation = operationIn('Deliveries')
const path = '/organizations/:organizationId/deliveries'
const onePath = `${path}/:deliveryId` as const

const newWebhookId = () =>
  z.optional(z.boolean()).check(describe('Uses a new id, so that receivers handle the event again.'))

const dryRun = () => z.optional(z.boolean()).check(describe('Counts, and changes nothing.'))

const all = () => z.optional(z.boolean()).check(describe('All deliveries of the organization.'))

const cursor = () => z.optional(z.string())

const Resend = named(
  'ResendRequest',
  'The deliveries to resend: those that match every given field. Without any, `all` must be true. With `newWebhookId`, receivers handle events again that they have already handled. With `dryRun`, they are only counted. `cursor` is the `nextCursor` of the part before.',
  z.extend(DeliveryFilter, {
    all: all(),
    newWebhookId: newWebhookId(),
    dryRun: dryRun(),
    cursor: cursor(),
  }),
)

const ResendOne = named(
  'ResendOneRequest',
  'With `newWebhookId`, a receiver handles the event again if it has already handled it. With `dryRun`, nothing is sent.',
  z.strictObject({ newWebhookId: newWebhookId(), dryRun: dryRun() }),
)

const Cancel = named(
  'CancelRequest',
  'The deliveries to cancel: those that match every given field and are `waiting` or `pending`. Without any, `all` must be true. With `dryRun`, they are only counted. `cursor` is the `nextCursor` of the part before.',
  z.extend(DeliveryFilter, { all: all(), dryRun: dryRun(), cursor: cursor() }),
)

const Canceled = named(
  'Canceled',
  'The number of deliveries that are canceled, at most 10,000. If there is a `nextCursor`, others may match: send the request again with it as `cursor`.',
  z.object({ canceled: z.number(), nextCursor: cursor() }),
)

const Resent = named(
  'Resent',
  'The number of deliveries that are sent again, at most 10,000. If there is a `nextCursor`, others may match: send the request again with it as `cursor`.',
  z.object({ resent: z.number(), nextCursor: cursor() }),
)

const getDelivery = async ({ deliveries }: ReferenceServer, organizationId: string, deliveryId: string) => {
  const { items } = await deliveries.list(organizationId, { deliveryId, limit: 1 })
  return requireFound(items[0], 'delivery', deliveryId)
}

const changeDelivery = async (
  context: ControlContext,
  step: 'retry' | 'cancel',
  id: readonly [organizationId: string, deliveryId: string],
) => {
  const { deliveries } = context.service
  const isChanged = await deliveries[step](...id)
  const delivery = await getDelivery(context.service, ...id)
  if (isChanged) return showDelivery(delivery, { wait: await explainDelivery(context, delivery) })
  const allowed = step === 'retry' ? 'pending' : 'waiting or pending'
  throw new ControlError('illegal_transition', `The delivery is ${delivery.status}; it must be ${allowed}.`)
}

export const deliveryOperations = [
  operation({
    id: 'listDeliveries',
    route: `GET ${path}`,
    summary: 'List deliveries in the order of their events',
    query: z.extend(DeliveryFilter, { ...pageQuery(), order: order() }),
    result: page('Delivery', DeliveryView),
    run: async ({ parameter, query: { cursor, limit, order, ...filter } }, { service }) => {
      const { items, ...rest } = await service.deliveries.list(parameter('organizationId'), {
        ...selectDeliveries(filter),
        cursor,
        limit,
        order,
      })
      return { ...rest, items: await showDeliveries(service, items) }
    },
  }),
  operation({
    id: 'getDelivery',
    route: `GET ${onePath}`,
    summary: 'Get a delivery',
    result: DeliveryView,
    run: async ({ parameter }, context) => {
      const found = await getDelivery(context.service, parameter('organizationId'), parameter('deliveryId'))
      const [shown] = await showDeliveries(context.service, [found])
      return { ...showDelivery(found), ...shown, wait: await explainDelivery(context, found) }
    },
  }),
  operation({
    id: 'listAttempts',
    route: `GET ${onePath}/attempts`,
    summary: 'List the attempts of a delivery',
    result: list('Attempt', AttemptView),
    run: async ({ parameter }, { service }) => {
      const attempts = await service.deliveries.attempts(parameter('organizationId'), parameter('deliveryId'))
      return { items: attempts.map(showAttempt) }
    },
  }),
  operation({
    id: 'getSentRequest',
    route: `GET ${onePath}/attempts/:number/request`,
    summary: 'Get the request of an attempt',
    result: SentRequestView,
    run: async ({ parameter }, { service: { deliveries } }) => {
      const id = [parameter('organizationId'), parameter('deliveryId')] as const
      const found = (await deliveries.attempts(...id)).find(
        ({ number }) => String(number) === parameter('number'),
      )
      const attempt = requireFound(found, 'attempt', parameter('number'))
      const signed = requireFound(await deliveries.sign(...id, attempt.startedAt), 'delivery', id[1])
      const { headers, hiddenHeaders, body, changed } = signed
      return {
        method: 'POST' as const,
        url: attempt.url,
        headers: { ...headers, 'user-agent': userAgent },
        hiddenHeaders: [...hiddenHeaders],
        body,
        changed: [...changed],
      }
    },
  }),
  operation({
    id: 'resendDeliveries',
    route: `POST ${path}/resend`,
    summary: 'Resend deliveries that are finished or waiting for another attempt',
    body: Resend,
    result: Resent,
    run: async ({ parameter, body }, { service }) => {
      const { all, newWebhookId, dryRun, cursor, ...filter } = body
      const selection = { ...selectDeliveries(filter), all }
      const options = { newWebhookId, dryRun, cursor }
      const part = await service.deliveries.resendPart(parameter('organizationId'), selection, options)
      const { count, ...rest } = part
      return { resent: count, ...rest }
    },
  }),
  operation({
    id: 'cancelDeliveries',
    route: `POST ${path}/cancel`,
    summary: 'Finish deliveries that wait as skipped; they can be resent',
    body: Cancel,
    result: Canceled,
    run: async ({ parameter, body: { all, dryRun, cursor, ...filter } }, { service }) => {
      const selection = { ...selectDeliveries(filter), all }
      const part = await service.deliveries.cancelPart(parameter('organizationId'), selection, {
        dryRun,
        cursor,
      })
      const { count, ...rest } = part
      return { canceled: count, ...rest }
    },
  }),
  operation({
    id: 'resendDelivery',
    route: `POST ${onePath}/resend`,
    summary: 'Resend a delivery',
    body: ResendOne,
    result: Resent,
    run: async ({ parameter, body }, { service, info }) => {
      const deliveryId = parameter('deliveryId')
      const organizationId = parameter('organizationId')
      const { eventId, subscriptionId } = await getDelivery(service, organizationId, deliveryId)
      const [event] = (await service.events.list(organizationId, { eventId, limit: 1 })).items
      const subscription = await service.subscriptions.find(organizationId, subscriptionId)
      if (event?.forged && subscription !== undefined) checkPayload([subscription], info)
      return { resent: await service.deliveries.resend(organizationId, { deliveryId }, body) }
    },
  }),
  operation({
    id: 'retryDelivery',
    route: `POST ${onePath}/retry`,
    summary: 'Make the next attempt of a pending delivery now; its schedule goes on',
    result: DeliveryView,
    run: ({ parameter }, context) =>
      changeDelivery(context, 'retry', [parameter('organizationId'), parameter('deliveryId')]),
  }),
  operation({
    id: 'cancelDelivery',
    route: `POST ${onePath}/cancel`,
    summary: 'Finish a delivery that waits as skipped; it can be resent',
    result: DeliveryView,
    run: ({ parameter }, context) =>
      changeDelivery(context, 'cancel', [parameter('organizationId'), parameter('deliveryId')]),
  }),
]
