import { Channel, eventNames } from '@wabakit/contract'
import * as z from 'zod/mini'
import { notFound } from '../not-found.ts'
import { operation } from '../operation.ts'
import { named, pageOf } from '../schema-names.ts'
import { phoneNumber } from '../texts.ts'
import {
  SubscriptionSecretView,
  SubscriptionView,
  showSubscription,
  showSubscriptionSecret,
} from '../views/subscription.ts'
import { pageQuery } from './page-query.ts'

const tag = 'Subscriptions'
const Events = z.union([z.literal('all'), z.array(z.enum(eventNames))])

const NewSubscription = named(
  'NewSubscriptionRequest',
  'Where the events of one number shall go. Without `events` all of them, without `secret` a random one.',
  z.strictObject({
    channel: Channel,
    number: phoneNumber(),
    url: z.string(),
    events: z.optional(Events),
    secret: z.optional(z.string()),
    enabled: z.optional(z.boolean()),
  }),
)

const SubscriptionChange = named(
  'SubscriptionChangeRequest',
  'What shall change; what is omitted stays. While disabled, what it would get is kept and can be sent again.',
  z.strictObject({
    url: z.optional(z.string()),
    events: z.optional(Events),
    enabled: z.optional(z.boolean()),
  }),
)

const SecretRotation = named(
  'SecretRotationRequest',
  'Without `secret` a random one. The old one signs, too, for `overlapMs` milliseconds (24 hours).',
  z.strictObject({ secret: z.optional(z.string()), overlapMs: z.optional(z.int().check(z.gte(0))) }),
)

const path = '/organizations/:organizationId/subscriptions'
const onePath = `${path}/:subscriptionId` as const

/** Operations on webhook subscriptions. */
export const subscriptionOperations = [
  operation({
    id: 'listSubscriptions',
    method: 'GET',
    path,
    summary: 'The webhook subscriptions, oldest first',
    tag,
    query: z.strictObject(pageQuery()),
    result: pageOf('Subscription', SubscriptionView),
    run: async ({ parameter, query }, { service }) => {
      const { items, ...rest } = await service.subscriptions.list(parameter('organizationId'), query)
      return { ...rest, items: items.map(showSubscription) }
    },
  }),
  operation({
    id: 'createSubscription',
    method: 'POST',
    path,
    summary: 'Subscribe a URL to the events of one number',
    tag,
    body: NewSubscription,
    result: SubscriptionSecretView,
    status: 201,
    run: async ({ parameter, body }, { service }) =>
      showSubscriptionSecret(await service.subscriptions.create(parameter('organizationId'), body)),
  }),
  operation({
    id: 'getSubscription',
    method: 'GET',
    path: onePath,
    summary: 'A subscription',
    tag,
    result: SubscriptionView,
    run: async ({ parameter }, { service }) => {
      const id = parameter('subscriptionId')
      const found = await service.subscriptions.find(parameter('organizationId'), id)
      if (found === undefined) throw notFound('subscription', id)
      return showSubscription(found)
    },
  }),
  operation({
    id: 'updateSubscription',
    method: 'PATCH',
    path: onePath,
    summary: 'Change, disable or enable a subscription',
    tag,
    body: SubscriptionChange,
    result: SubscriptionView,
    run: async ({ parameter, body }, { service }) =>
      showSubscription(
        await service.subscriptions.update(parameter('organizationId'), parameter('subscriptionId'), body),
      ),
  }),
  operation({
    id: 'rotateSubscriptionSecret',
    method: 'POST',
    path: `${onePath}/rotate-secret`,
    summary: 'Set a new secret; the old one signs beside it for a while',
    tag,
    body: SecretRotation,
    result: SubscriptionSecretView,
    run: async ({ parameter, body }, { service }) =>
      showSubscriptionSecret(
        await service.subscriptions.rotateSecret(
          parameter('organizationId'),
          parameter('subscriptionId'),
          body,
        ),
      ),
  }),
  operation({
    id: 'removeSubscription',
    method: 'DELETE',
    path: onePath,
    summary: 'Remove a subscription with its deliveries',
    tag,
    run: ({ parameter }, { service }) =>
      service.subscriptions.remove(parameter('organizationId'), parameter('subscriptionId')),
  }),
]
