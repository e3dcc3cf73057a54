import type { Calls } from './calls/calls.ts'
import type { Summaries } from './calls/summaries.ts'
import type { Dispatcher } from './delivery/dispatcher.ts'
import type { IterationOptions } from './events/emissions.ts'
import type { Emission, EmissionEventOf, EmissionName, EventObservation } from './events/event-log.ts'
import type { Groups } from './groups/groups.ts'
import type { Participants } from './groups/participants.ts'
import type { Deliveries } from './history/deliveries.ts'
import type { Events } from './history/events.ts'
import type { ReferenceFetch } from './http/create-fetch.ts'
import type { Subscriptions } from './subscriptions/subscriptions.ts'
import type { ApiKeys } from './tenancy/api-keys.ts'
import type { Organizations } from './tenancy/organizations.ts'

/** The service, in process. */
export type ReferenceServer = EventObservation & {
  /** Responds to requests of the two API endpoints. Never rejects. */
  readonly fetch: ReferenceFetch
  /** Resolves when the declared organizations are in the store. Operations wait for this by themselves. */
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
   * Iterates over the events that this process publishes from now on.
   *
   * @example
   * for await (const { event } of server.observe('CALL_AI_SUMMARY', { signal })) console.log(event.summary.recap)
   */
  observe<Name extends EmissionName>(
    name: Name,
    options?: IterationOptions,
  ): AsyncIterableIterator<Emission<EmissionEventOf<Name>>>
}
