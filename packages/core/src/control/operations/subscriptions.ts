import { eventNames, healthEventNames } from '@wabakit/contract'
import * as z from 'zod/mini'
import { requireFound } from '../../hosting/control-error.ts'
import { buildTestEvent } from '../build-test-event.ts'
import { checkPayload } from '../forged-events.ts'
import { operationIn } from '../operation.ts'
import {
  EventChannel,
  eventName,
  named,
  optional,
  page,
  pageQuery,
  phoneNumber,
  showPage,
  subject,
} from '../schemas.ts'
import { EventView, showEvent } from '../views/event.ts'
import {
  SubscriptionSecretView,
  SubscriptionView,
  showSubscription,
  showSubscriptionSecret,
} from '../views/subscription.ts'

const operation = operationIn('Subscriptions')
const names = [...eventNames, ...healthEventNames] as const
const Events = z.union(
  [z.literal('all'), z.array(z.enum(names))],
  `must be all, or one or several of ${names.join(', ')}`,
)

const subscriptionHeaders = {
  headers: z.optional(z.record(z.string(), z.string())),
  authorization: z.optional(
    z.nullable(
      z.union([
        z.strictObject({ username: z.string(), password: z.string() }),
        z.strictObject({ token: z.string() }),
      ]),
    ),
  ),
}

const events = optional(Events, 'Names of events, or all.')
const url = z.string().check(z.describe('URL that gets the webhooks.'))
const secret = optional(z.string(), 'Signing secret. Default: a random one.')

const limits = {
  maxAttemptsPerSecond: optional(
    z.nullable(z.number()),
    'Maximum number of attempts that start per second, such as 5 or 0.5.',
  ),
  enabled: optional(z.boolean(), 'Gets webhooks unless false.'),
}

const NewSubscription = named(
  'NewSubscriptionRequest',
  'A URL to send the events of one number to or, with the channel `OPERATIONS` and no number, those about the health of subscriptions. `events` defaults to all events, `secret` to a random one. `headers` and `authorization` (HTTP Basic or Bearer) are sent with every webhook. `maxAttemptsPerSecond` spreads attempts for an endpoint that needs it: from 0.01 to 1,000 per second, or null for no maximum.',
  z.strictObject({
    channel: EventChannel.check(z.describe('Network of the number, or OPERATIONS.')),
    number: optional(phoneNumber, "One of the organization's numbers."),
    url,
    events,
    secret,
    ...subscriptionHeaders,
    ...limits,
  }),
)

const SubscriptionChange = named(
  'SubscriptionChangeRequest',
  'The fields to change. Omitted ones stay as they are. `headers` replaces all static headers, and `authorization: null` removes that one. A `url` with another origin removes both unless they are sent again. `maxAttemptsPerSecond: null` removes the maximum. Events that occur while a subscription is disabled can be resent later.',
  z.strictObject({
    url: z.optional(url),
    events,
    ...subscriptionHeaders,
    ...limits,
  }),
)

const SecretRotation = named(
  'SecretRotationRequest',
  '`secret` defaults to a random one. Webhooks are signed with the old secret as well for `overlapMs` milliseconds (default: 24 hours).',
  z.strictObject({
    secret,
    overlapMs: optional(
      z.int().check(z.gte(0)),
      'Time for which the old secret also signs, in milliseconds. Default: a day.',
    ),
  }),
)

const TestEvent = named(
  'TestEventRequest',
  'A test event. `name` defaults to the first event of the subscription, `payload` to an example. With a `payload`, the URL must be a loopback address, or the server started with `mock`. Each attempt checks that again.',
  z.strictObject({
    name: optional(eventName, 'Name of the event. Default: the first subscribed.'),
    subject: z.optional(subject),
    payload: z.optional(z.record(z.string(), z.unknown())),
  }),
)

const path = '/organizations/:organizationId/subscriptions'
const onePath = `${path}/:subscriptionId` as const

export const subscriptionOperations = [
  operation({
    id: 'listSubscriptions',
    route: `GET ${path}`,
    summary: 'List subscriptions, oldest first',
    query: z.strictObject(pageQuery),
    result: page('Subscription', SubscriptionView),
    run: async ({ params, query }, { service }) =>
      showPage(await service.subscriptions.list(params.organizationId, query), showSubscription),
  }),
  operation({
    id: 'createSubscription',
    route: `POST ${path}`,
    summary: 'Subscribe a URL to the events of one number',
    body: NewSubscription,
    result: SubscriptionSecretView,
    status: 201,
    run: async ({ params, body }, { service }) =>
      showSubscriptionSecret(await service.subscriptions.create(params.organizationId, body)),
  }),
  operation({
    id: 'getSubscription',
    route: `GET ${onePath}`,
    summary: 'Get a subscription',
    result: SubscriptionView,
    run: async ({ params: { organizationId, subscriptionId: id } }, { service }) => {
      const found = await service.subscriptions.find(organizationId, id)
      return showSubscription(requireFound(found, 'subscription', id))
    },
  }),
  operation({
    id: 'updateSubscription',
    route: `PATCH ${onePath}`,
    summary: 'Change, disable or enable a subscription',
    body: SubscriptionChange,
    result: SubscriptionView,
    run: async ({ params: { organizationId, subscriptionId }, body }, { service }) =>
      showSubscription(await service.subscriptions.update(organizationId, subscriptionId, body)),
  }),
  operation({
    id: 'rotateSubscriptionSecret',
    route: `POST ${onePath}/rotate-secret`,
    summary: 'Replace the secret; the old one stays valid for a while',
    body: SecretRotation,
    result: SubscriptionSecretView,
    run: async ({ params: { organizationId, subscriptionId }, body }, { service }) =>
      showSubscriptionSecret(await service.subscriptions.rotateSecret(organizationId, subscriptionId, body)),
  }),
  operation({
    id: 'sendTestEvent',
    route: `POST ${onePath}/test-events`,
    summary: 'Publish a test event to this subscription only',
    body: TestEvent,
    result: EventView,
    status: 201,
    run: async ({ params: { organizationId, subscriptionId }, body }, context) => {
      const { service, live } = context
      const found = await service.subscriptions.find(organizationId, subscriptionId)
      const subscription = requireFound(found, 'subscription', subscriptionId)
      const forged = body.payload !== undefined
      if (forged) checkPayload([subscription], context)
      const event = buildTestEvent(subscription, body)
      const published = await service.events.publish(organizationId, event, { subscriptionId, forged })
      live.wake()
      return showEvent(published)
    },
  }),
  operation({
    id: 'removeSubscription',
    route: `DELETE ${onePath}`,
    summary: 'Delete a subscription and its deliveries',
    run: ({ params }, { service }) =>
      service.subscriptions.remove(params.organizationId, params.subscriptionId),
  }),
]
