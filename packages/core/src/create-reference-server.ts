import { type Calls, createCalls } from './calls/calls.ts'
import { createSummaries, type Summaries } from './calls/summaries.ts'
import type { DeliveryFetch } from './delivery/attempt.ts'
import { createDispatcher, type DeliveryOptions, type Dispatcher } from './delivery/dispatcher.ts'
import { type IterationOptions, iterateEmissions } from './events/emissions.ts'
import {
  createEventEmitter,
  type Emission,
  type EmissionEventOf,
  type EmissionName,
  type EventObservation,
} from './events/event-emitter.ts'
import { createEventLog } from './events/event-log.ts'
import { createGroups, type Groups } from './groups/groups.ts'
import { createInviteLinks } from './groups/invite-links.ts'
import { createParticipants, type Participants } from './groups/participants.ts'
import { createDeliveries, type Deliveries } from './history/deliveries.ts'
import { createEvents, type Events } from './history/events.ts'
import { createFetch, type ReferenceFetch } from './http/create-fetch.ts'
import { memoryStore } from './memory-store/memory-store.ts'
import { createRateLimits, type RateLimitOptions } from './rate-limit/rate-limits.ts'
import type { Store } from './store.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions/subscriptions.ts'
import { type ApiKeys, createApiKeys } from './tenancy/api-keys.ts'
import { createDirectory, type DeclaredOrganization } from './tenancy/directory.ts'
import { createOrganizations, type Organizations } from './tenancy/organizations.ts'
import { type Clock, systemClock } from './values/clock.ts'
import { createIds, type Ids } from './values/ids.ts'
import { createSecureRandom, type Random } from './values/random.ts'

/** Options of {@link createReferenceServer}. */
export type ReferenceServerOptions = {
  /**
   * Organizations that shall exist: created, or, where the store has them already, set to what is declared here. Keys
   * that the store has and the declaration does not name stay valid.
   * @default []
   */
  readonly organizations?: readonly DeclaredOrganization[] | undefined
  /**
   * Where everything is kept.
   * @default memoryStore()
   */
  readonly store?: Store | undefined
  /**
   * Tells the time.
   * @default the machine's clock
   */
  readonly clock?: Clock | undefined
  /**
   * Randomness for ids, invite links and the jitter of retries. A seeded one makes a server repeatable. Keys and
   * signing secrets always come from the platform's cryptographic generator.
   * @default the platform's cryptographic generator
   */
  readonly random?: Random | undefined
  /**
   * Makes ids.
   * @default createIds({ clock, random })
   */
  readonly ids?: Ids | undefined
  /**
   * Sends deliveries.
   * @default globalThis.fetch
   */
  readonly fetch?: DeliveryFetch | undefined
  /** How deliveries are sent. */
  readonly delivery?: DeliveryOptions | undefined
  /** How requests are authenticated. */
  readonly auth?:
    | {
        /**
         * Name of the header that carries the key, raw or after `Bearer`.
         * @default 'authorization'
         */
        readonly header?: string | undefined
      }
    | undefined
  /**
   * How requests to the endpoints are limited; `false` for not at all.
   * @default {} (600 a minute by organization, 300 by key, 60 by IP for requests without a valid key)
   */
  readonly rateLimit?: RateLimitOptions | false | undefined
  /**
   * Let subscriptions send to `http:` URLs of loopback addresses: for local use.
   * @default false
   */
  readonly allowLoopbackHttp?: boolean | undefined
  /**
   * Gets what went wrong where nobody could be told: a listener that threw, a request answered with 500 or 503, a
   * store that a started dispatcher cannot reach.
   * @default console.error
   */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** The service, in process. */
export type ReferenceServer = EventObservation & {
  /** Answers the two public endpoints. Never rejects. */
  readonly fetch: ReferenceFetch
  /** Resolves when the declared organizations are in the store; every operation waits for it by itself. */
  ready(): Promise<void>
  readonly organizations: Organizations
  readonly apiKeys: ApiKeys
  readonly groups: Groups
  readonly participants: Participants
  readonly calls: Calls
  readonly summaries: Summaries
  readonly subscriptions: Subscriptions
  readonly events: Events
  readonly deliveries: Deliveries
  readonly dispatcher: Dispatcher
  /**
   * Events as an async iterator, from now on.
   *
   * @example
   * for await (const { event } of server.observe('CALL_AI_SUMMARY', { signal })) console.log(event.summary.recap)
   */
  observe<Name extends EmissionName>(
    name: Name,
    options?: IterationOptions,
  ): AsyncIterableIterator<Emission<EmissionEventOf<Name>>>
}

/**
 * Makes the service: every rule of it, over a store, in process. It opens no port and starts no timer by itself.
 *
 * @example
 * const server = createReferenceServer({
 *   organizations: [
 *     { id: 'acme', integrations: [{ wabaNumber: '+15550100001' }], apiKeys: [{ key: 'wk_test' }] },
 *   ],
 * })
 * server.on('GROUP_CREATED', (event) => console.log(event.groupId))
 * const response = await server.fetch(request, { remoteAddress: '192.0.2.1' })
 */
export const createReferenceServer = (options: ReferenceServerOptions = {}): ReferenceServer => {
  const {
    organizations: declared = [],
    store = memoryStore(),
    clock = systemClock,
    random = createSecureRandom(),
    ids = createIds({ clock, random }),
    fetch = (url, init) => globalThis.fetch(url, init),
    delivery = {},
    rateLimit = {},
    allowLoopbackHttp = false,
    onError = console.error,
  } = options
  const authHeader = options.auth?.header ?? 'authorization'

  const emitter = createEventEmitter(onError)
  const log = createEventLog({ ids, emitter })
  const apiKeys = createApiKeys({ store, clock, ids })
  const organizations = createOrganizations({ store, clock, ids, apiKeys })
  const directory = createDirectory({ store, organizations, apiKeys, declared })
  const context = { store, clock, ids, log, directory, inviteLinks: createInviteLinks(random) }

  return {
    fetch: createFetch({ ...context, authHeader, onError, rateLimits: createRateLimits(rateLimit, clock) }),
    ready: directory.ready,
    organizations,
    apiKeys,
    groups: createGroups(context),
    participants: createParticipants(context),
    calls: createCalls(context),
    summaries: createSummaries(context),
    subscriptions: createSubscriptions({ ...context, allowLoopbackHttp }),
    events: createEvents(context),
    deliveries: createDeliveries(context),
    dispatcher: createDispatcher({ ...context, random, fetch, onError, options: delivery }),
    on: emitter.on,
    once: emitter.once,
    off: emitter.off,
    observe: (name, iteration) => iterateEmissions(emitter, name, iteration),
  }
}
