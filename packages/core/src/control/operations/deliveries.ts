import * as z from 'zod/mini'
import { ControlError, requireFound } from '../../hosting/control-error.ts'
import type { ReferenceServer } from '../../index.ts'
import { optional } from '../../values/input-schemas.ts'
import { checkPayload } from '../custom-payloads.ts'
import { DeliveryFilter, order, selectDeliveries } from '../filters.ts'
import { type ControlContext, operationIn } from '../operation.ts'
import { list, named, page, pageQuery } from '../schemas.ts'
import { explainDelivery } from '../timeline/explain-delivery.ts'
import { showDeliveries } from '../timeline/show-deliveries.ts'
import { AttemptView, DeliveryView, SentRequestView, showAttempt, showDelivery } from '../views/delivery.ts'

const operation = operationIn('Deliveries')
const path = '/organizations/:organizationId/deliveries'
const onePath = `${path}/:deliveryId` as const

const newWebhookId = optional(z.boolean(), 'Uses a new id, so that receivers handle the event again.')
const dryRun = optional(z.boolean(), 'Counts, and changes nothing.')
const all = optional(z.boolean(), 'All deliveries of the organization.')
const cursor = z.optional(z.string())

const Resend = named(
  'ResendRequest',
  'The deliveries to resend: those that match every given field. Without any, `all` must be true. Unfinished ones that were never attempted, and those to disabled subscriptions, do not change. With `newWebhookId`, receivers handle events again that they have already handled. With `dryRun`, they are only counted. `cursor` is the `nextCursor` of the part before.',
  z.extend(DeliveryFilter, { all, newWebhookId, dryRun, cursor }),
)

const ResendOne = named(
  'ResendOneRequest',
  'With `newWebhookId`, a receiver handles the event again if it has already handled it. With `dryRun`, nothing is sent.',
  z.strictObject({ newWebhookId, dryRun }),
)

const Cancel = named(
  'CancelRequest',
  'The deliveries to cancel: those that match every given field and are `waiting` or `pending`. Without any, `all` must be true. With `dryRun`, they are only counted. `cursor` is the `nextCursor` of the part before.',
  z.extend(DeliveryFilter, { all, dryRun, cursor }),
)

const Retry = named(
  'RetryRequest',
  'The deliveries to retry: those that match every given field and are `pending`. Without any, `all` must be true. With `dryRun`, they are only counted. `cursor` is the `nextCursor` of the part before.',
  z.extend(DeliveryFilter, { all, dryRun, cursor }),
)

const Retried = named(
  'Retried',
  'The number of deliveries that are retried, at most 10,000. If there is a `nextCursor`, others may match: send the request again with it as `cursor`.',
  z.object({ retried: z.number(), nextCursor: cursor }),
)

const Canceled = named(
  'Canceled',
  'The number of deliveries that are canceled, at most 10,000. If there is a `nextCursor`, others may match: send the request again with it as `cursor`.',
  z.object({ canceled: z.number(), nextCursor: cursor }),
)

const Resent = named(
  'Resent',
  'The number of deliveries that are sent again, at most 10,000. If there is a `nextCursor`, others may match: send the request again with it as `cursor`.',
  z.object({ resent: z.number(), nextCursor: cursor }),
)

const getDelivery = async ({ deliveries }: ReferenceServer, organizationId: string, deliveryId: string) => {
  const { items } = await deliveries.list(organizationId, { deliveryId, limit: 1 })
  return requireFound(items[0], 'delivery', deliveryId)
}

const changeDelivery = async (
  context: ControlContext,
  step: 'retry' | 'cancel',
  { organizationId, deliveryId }: { readonly organizationId: string; readonly deliveryId: string },
) => {
  const isChanged = await context.service.deliveries[step](organizationId, deliveryId)
  const delivery = await getDelivery(context.service, organizationId, deliveryId)
  if (isChanged) return showDelivery(delivery, { wait: await explainDelivery(context, delivery) })
  const allowed = step === 'retry' ? 'pending' : 'waiting or pending'
  const instead = step === 'retry' && delivery.finishedAt !== null ? ' Resend it instead.' : ''
  const message = `The delivery is ${delivery.status}; it must be ${allowed}.${instead}`
  throw new ControlError('illegal_transition', message)
}

export const deliveryOperations = [
  operation({
    id: 'listDeliveries',
    route: `GET ${path}`,
    summary: 'List deliveries in the order of their events',
    query: z.extend(DeliveryFilter, { ...pageQuery, order }),
    result: page('Delivery', DeliveryView),
    run: async ({ params, query: { cursor, limit, order, ...filter } }, { service }) => {
      const selection = { ...selectDeliveries(filter), cursor, limit, order }
      const { items, ...rest } = await service.deliveries.list(params.organizationId, selection)
      return { ...rest, items: await showDeliveries(service, items) }
    },
  }),
  operation({
    id: 'getDelivery',
    route: `GET ${onePath}`,
    summary: 'Get a delivery',
    result: DeliveryView,
    run: async ({ params: { organizationId, deliveryId } }, context) => {
      const found = await getDelivery(context.service, organizationId, deliveryId)
      const [shown] = await showDeliveries(context.service, [found])
      return { ...showDelivery(found), ...shown, wait: await explainDelivery(context, found) }
    },
  }),
  operation({
    id: 'listAttempts',
    route: `GET ${onePath}/attempts`,
    summary: 'List the attempts of a delivery',
    result: list('Attempt', AttemptView),
    run: async ({ params: { organizationId, deliveryId } }, { service: { deliveries }, findWire }) => {
      const [attempts, { items }] = await Promise.all([
        deliveries.attempts(organizationId, deliveryId),
        deliveries.list(organizationId, { deliveryId, limit: 1 }),
      ])
      return {
        items: items.flatMap((delivery) =>
          attempts.map((each) => showAttempt(each, delivery, findWire?.(deliveryId, each.number))),
        ),
      }
    },
  }),
  operation({
    id: 'getSentRequest',
    route: `GET ${onePath}/attempts/:number/request`,
    summary: 'Get the request of an attempt',
    result: SentRequestView,
    run: async ({ params: { organizationId, deliveryId, number } }, { service, userAgent, findWire }) => {
      const { deliveries } = service
      const id = [organizationId, deliveryId] as const
      const found = (await deliveries.attempts(...id)).find((each) => String(each.number) === number)
      const attempt = requireFound(found, 'attempt', number)
      const wire = findWire?.(deliveryId, attempt.number)
      if (wire !== undefined) {
        const { faults, request } = wire
        if (request !== undefined)
          return { ...request, hiddenHeaders: [...request.hiddenHeaders], changed: [], faults: [...faults] }
        const message = `Nothing was sent for this attempt, because of the fault ${faults.join(', ')}.`
        throw new ControlError('not_found', message)
      }
      const signed = requireFound(await deliveries.sign(...id, attempt.startedAt), 'delivery', id[1])
      const { headers, hiddenHeaders, body, changed } = signed
      return {
        method: 'POST',
        url: attempt.url,
        // A subscription's own `user-agent` replaces that of the server.
        headers: { ...(!hiddenHeaders.includes('user-agent') && { 'user-agent': userAgent }), ...headers },
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
    run: async ({ params, body }, { service }) => {
      const { all, newWebhookId, dryRun, cursor, ...filter } = body
      const selection = { ...selectDeliveries(filter), all }
      const options = { newWebhookId, dryRun, cursor }
      const part = await service.deliveries.resendPart(params.organizationId, selection, options)
      return { resent: part.count, nextCursor: part.nextCursor }
    },
  }),
  operation({
    id: 'cancelDeliveries',
    route: `POST ${path}/cancel`,
    summary: 'Finish deliveries that wait as skipped; they can be resent',
    body: Cancel,
    result: Canceled,
    run: async ({ params, body: { all, dryRun, cursor, ...filter } }, { service }) => {
      const selection = { ...selectDeliveries(filter), all }
      const options = { dryRun, cursor }
      const part = await service.deliveries.cancelPart(params.organizationId, selection, options)
      return { canceled: part.count, nextCursor: part.nextCursor }
    },
  }),
  operation({
    id: 'retryDeliveries',
    route: `POST ${path}/retry`,
    summary: 'Make the next attempt of pending deliveries now; their schedules continue',
    body: Retry,
    result: Retried,
    run: async ({ params, body: { all, dryRun, cursor, ...filter } }, { service }) => {
      const selection = { ...selectDeliveries(filter), all }
      const part = await service.deliveries.retryPart(params.organizationId, selection, { dryRun, cursor })
      return { retried: part.count, nextCursor: part.nextCursor }
    },
  }),
  operation({
    id: 'resendDelivery',
    route: `POST ${onePath}/resend`,
    summary: 'Resend a delivery',
    body: ResendOne,
    result: Resent,
    run: async ({ params: { organizationId, deliveryId }, body }, context) => {
      const { service } = context
      const { eventId, subscriptionId } = await getDelivery(service, organizationId, deliveryId)
      const [event] = (await service.events.list(organizationId, { eventId, limit: 1 })).items
      const subscription = await service.subscriptions.find(organizationId, subscriptionId)
      if (event?.hasCustomPayload && subscription !== undefined) checkPayload([subscription], context)
      return { resent: await service.deliveries.resend(organizationId, { deliveryId }, body) }
    },
  }),
  operation({
    id: 'retryDelivery',
    route: `POST ${onePath}/retry`,
    summary: 'Make the next attempt of a pending delivery now; its schedule continues',
    result: DeliveryView,
    run: ({ params }, context) => changeDelivery(context, 'retry', params),
  }),
  operation({
    id: 'cancelDelivery',
    route: `POST ${onePath}/cancel`,
    summary: 'Finish a delivery that waits as skipped; it can be resent',
    result: DeliveryView,
    run: ({ params }, context) => changeDelivery(context, 'cancel', params),
  }),
]
