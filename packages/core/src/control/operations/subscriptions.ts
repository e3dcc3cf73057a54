import * as z from 'zod/mini'
import { requireFound } from '../../hosting/control-error.ts'
import {
  SecretRotation,
  SubscriptionChange,
  SubscriptionInput,
} from '../../subscriptions/subscription-input.ts'
import { optional } from '../../values/input-schemas.ts'
import { buildTestEvent } from '../build-test-event.ts'
import { checkPayload } from '../custom-payloads.ts'
import { operationIn } from '../operation.ts'
import { readStates } from '../overview/subscription-state.ts'
import { eventName, named, page, pageQuery, subject } from '../schemas.ts'
import { EventView, showEvent } from '../views/event.ts'
import {
  ListedSubscriptionView,
  SubscriptionSecretView,
  SubscriptionStateView,
  SubscriptionView,
  showListedSubscription,
  showSubscription,
  showSubscriptionSecret,
} from '../views/subscription.ts'

const operation = operationIn('Subscriptions')

const NewSubscription = named(
  'NewSubscriptionRequest',
  'A URL to send the events of one number to or, with the channel `OPERATIONS` and no number, those about the health of subscriptions. `events` defaults to all events, `secret` to a random one. `headers` and `authorization` (HTTP Basic or Bearer) are sent with every webhook. `maxAttemptsPerSecond` spreads attempts for an endpoint that needs it: from 0.01 to 1,000 per second, or null for no maximum.',
  SubscriptionInput,
)

const Change = named(
  'SubscriptionChangeRequest',
  'The fields to change. Omitted ones stay as they are. `headers` replaces all static headers, and `authorization: null` removes that one. A `url` with another origin removes both unless they are sent again. `maxAttemptsPerSecond: null` removes the maximum. Events that occur while a subscription is disabled can be resent later.',
  SubscriptionChange,
)

const Rotation = named(
  'SecretRotationRequest',
  '`secret` defaults to a random one. Webhooks are signed with the old secret as well for `overlapMs` milliseconds (default: 24 hours).',
  SecretRotation,
)

const TestEvent = named(
  'TestEventRequest',
  'A test event. `name` defaults to the first subscribed event about a call (PSTN) or a group (WhatsApp), if there is one; `payload` to an example. With a `payload`, the URL must be a loopback address, or the server started with `--sandbox`. Each attempt checks that again.',
  z.strictObject({
    name: optional(eventName, 'Name of the event. Default: the first subscribed that suits the channel.'),
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
    query: z.strictObject({
      ...pageQuery,
      state: optional(SubscriptionStateView, 'Only subscriptions in this state now. Pages may be short.'),
    }),
    result: page('ListedSubscription', ListedSubscriptionView),
    run: async ({ params, query: { state, ...query } }, context) => {
      const { items, ...rest } = await context.service.subscriptions.list(params.organizationId, query)
      const states = await readStates(context, items)
      const shown = items.map((each, index) => showListedSubscription(each, states[index]))
      return { ...rest, items: shown.filter((each) => state === undefined || each.state === state) }
    },
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
    result: ListedSubscriptionView,
    run: async ({ params: { organizationId, subscriptionId: id } }, context) => {
      const found = await context.service.subscriptions.find(organizationId, id)
      const subscription = requireFound(found, 'subscription', id)
      const [state] = await readStates(context, [subscription])
      return showListedSubscription(subscription, state)
    },
  }),
  operation({
    id: 'updateSubscription',
    route: `PATCH ${onePath}`,
    summary: 'Change, disable or enable a subscription',
    body: Change,
    result: SubscriptionView,
    run: async ({ params: { organizationId, subscriptionId }, body }, { service }) =>
      showSubscription(await service.subscriptions.update(organizationId, subscriptionId, body)),
  }),
  operation({
    id: 'rotateSubscriptionSecret',
    route: `POST ${onePath}/rotate-secret`,
    summary: 'Replace the secret; the old one stays valid for a while',
    body: Rotation,
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
      const hasCustomPayload = body.payload !== undefined
      if (hasCustomPayload) checkPayload([subscription], context)
      const event = buildTestEvent(subscription, body)
      const published = await service.events.publish(organizationId, event, {
        subscriptionId,
        hasCustomPayload,
      })
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
