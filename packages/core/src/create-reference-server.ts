import type { PublishedEventName } from '@wabakit/contract'
import { type Calls, createCalls } from './calls/calls.ts'
import { createSummaries, type Summaries } from './calls/summaries.ts'
import { createDispatcher, type Dispatcher } from './delivery/dispatcher.ts'
import { createErasures, type Erasures } from './erasure/erasures.ts'
import { InputError } from './errors/operation-errors.ts'
import { createEventLog, type PublicationListener } from './events/event-log.ts'
import { createFigures, type Figures } from './figures/figures.ts'
import { createGroups, type Groups } from './groups/groups.ts'
import { createParticipants, type Participants } from './groups/participants.ts'
import { createDeliveries, type Deliveries } from './history/deliveries.ts'
import { createEvents, type Events } from './history/events.ts'
import { type ConnectionInfo, createApi } from './http/api.ts'
import type { ApiRequest, ApiResponse } from './http/exchange.ts'
import { createFetch } from './http/fetch.ts'
import type { RequestDescribed, RequestReported, SentResponse } from './http/request-report.ts'
import { memoryStore } from './memory-store/memory-store.ts'
import { createRateLimits } from './rate-limit/rate-limits.ts'
import type { ReferenceServerOptions } from './reference-server-options.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions/subscriptions.ts'
import { type ApiKeys, createApiKeys } from './tenancy/api-keys.ts'
import { declareOrganizations } from './tenancy/declared-organizations.ts'
import { createOrganizations, type Organizations } from './tenancy/organizations.ts'
import { checkNumbers } from './values/check-numbers.ts'
import { createServiceClock, roundDown } from './values/clock.ts'
import { checkEventIds, createIds, createSecureRandom } from './values/ids.ts'

/** The service, running in this process. */
export type ReferenceServer = {
  /** Responds to requests to the two API endpoints. Never rejects. */
  fetch(request: Request, connection?: ConnectionInfo): Promise<Response>
  /** Like `fetch`, but without `Request` and `Response`, for hosts that do not need them. */
  respond(request: ApiRequest, connection?: ConnectionInfo): Promise<ApiResponse>
  /**
   * Resolves when the declared organizations are in the store. Operations wait for this automatically, except those of
   * `figures` and `dispatcher`.
   */
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
  readonly erasures: Erasures
  readonly figures: Figures
  readonly dispatcher: Dispatcher
  /**
   * Calls `listener` after each request to the public API. It may be async. Its errors go to `onError`.
   *
   * @returns a function that removes the listener.
   */
  onRequest(listener: (report: RequestReported) => void): () => void
  /**
   * Describes a request to which the host sent something other than the service's response, for example because of a
   * fault. Neither responds to it nor counts it toward a rate limit.
   */
  describeSent(
    request: ApiRequest,
    sent: SentResponse,
    connection?: ConnectionInfo,
  ): Promise<RequestDescribed>
  /**
   * Calls `listener` with each event of this name (`'*'` for any name) that this process publishes, after the event is
   * stored, whether or not a subscription matches it. Events from other processes that share the store, those of
   * `events.publish`, and events about subscription health are not included.
   *
   * @returns a function that removes the listener.
   */
  on<Name extends PublishedEventName | '*'>(name: Name, listener: PublicationListener<Name>): () => void
}

/** Makes operations wait until `ready` resolves. They all return promises. */
const waitFirst = <Operations extends object>(
  ready: () => Promise<void>,
  operations: Operations,
): Operations => {
  const waiting = Object.entries(operations).map(([name, run]: [string, (...args: unknown[]) => unknown]) => [
    name,
    async (...args: unknown[]) => {
      await ready()
      return run(...args)
    },
  ])
  return Object.fromEntries(waiting) as Operations
}

/** The headers that live services document for this interface. Their pages disagree. */
const defaultKeyHeaders = ['Authorization', 'x-public-api-key']

const checkHeaderName = (name: string): void => {
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return
  throw new InputError([{ path: 'auth.header', message: 'must be the name of a header' }])
}

/**
 * Creates the service in this process, with all its rules and a store. It does not open a port. Deliveries are sent
 * only after `dispatcher.start()` or during `dispatcher.runDue()`.
 *
 * @throws InputError if an option is invalid. Problems that only the store can detect, such as a key that belongs to
 *   another organization, reject `ready()` and every operation that waits for it.
 * @example
 * const server = createReferenceServer({
 *   organizations: [
 *     { id: 'acme', integrations: [{ wabaNumber: '+15550100001' }], apiKeys: [{ key: 'wk_test_0123456789' }] },
 *   ],
 * })
 * server.on('GROUP_CREATED', (event) => console.log(event.groupId))
 * const response = await server.fetch(request, { remoteAddress: '192.0.2.1' })
 */
export const createReferenceServer = (options: ReferenceServerOptions = {}): ReferenceServer => {
  const {
    organizations: declared = [],
    store = memoryStore(),
    clock: source = createServiceClock(),
    random = createSecureRandom(),
    fetch = (url, init) => globalThis.fetch(url, init),
    delivery = {},
    rateLimit = {},
    allowLoopbackHttp = false,
    onError = console.error,
  } = options
  // Stores keep whole milliseconds.
  const clock = roundDown(source)
  checkNumbers(delivery, 'delivery.')
  const keyHeaders = options.auth?.header === undefined ? defaultKeyHeaders : [options.auth.header]
  const ids = options.ids === undefined ? createIds({ clock, random }) : checkEventIds(options.ids)

  const log = createEventLog(ids, onError)
  const apiKeys = createApiKeys({ store, clock, ids })
  const organizations = createOrganizations({ store, clock, ids, apiKeys })
  const ready = declareOrganizations({ store, organizations, apiKeys }, declared)
  keyHeaders.forEach(checkHeaderName)
  const afterReady = <Operations extends object>(operations: Operations): Operations =>
    declared.length === 0 ? operations : waitFirst(ready, operations)
  const context = { store, clock, ids, log, random }
  const rateLimits = createRateLimits(rateLimit, clock)
  const dispatcher = createDispatcher({ ...context, fetch, onError, options: delivery })
  const { respond, describeSent, onRequest } = createApi({
    ...context,
    ready,
    keyHeaders,
    onError,
    rateLimits,
  })

  const { onAttempt, onHealth } = dispatcher
  const figures = createFigures({ ...context, onAttempt, onHealth, onError })

  return {
    fetch: createFetch(respond),
    respond,
    ready,
    organizations: afterReady(organizations),
    apiKeys: afterReady(apiKeys),
    groups: afterReady(createGroups(context)),
    participants: afterReady(createParticipants(context)),
    calls: afterReady(createCalls(context)),
    summaries: afterReady(createSummaries(context)),
    subscriptions: afterReady(createSubscriptions({ ...context, allowLoopbackHttp })),
    events: afterReady(createEvents(context)),
    deliveries: afterReady(createDeliveries({ ...context, findAttempt: dispatcher.findAttempt })),
    erasures: afterReady(createErasures(context)),
    figures,
    dispatcher,
    onRequest,
    describeSent,
    on: log.on,
  }
}
