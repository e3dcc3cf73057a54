import type { Client, ClientOptions } from '@wabakit/client'
import type { EventName, WebhookEvent } from '@wabakit/contract'
import type { ParticipantRecord, ReferenceServer, SavedSummary } from '@wabakit/core'
import type { CallSimulation, SimulatedCall, SummarySimulation } from '@wabakit/core/simulation'
import type { Account } from '../data/account.ts'
import type { FixtureOverrides } from '../data/fixtures.ts'
import type { DeliveryTarget } from '../delivery/targets.ts'
import type { Faults } from '../faults/faults.ts'
import type { RecordedDelivery, RecordedRequest } from '../recording.ts'
import type { ParticipantAction, ParticipantSimulation } from '../simulation/simulate.ts'
import type { MockClock } from '../time/mock-clock.ts'
import type { Waits } from '../waiting/waits.ts'
import type { MockSubscription, SubscriptionRequest } from './subscribe.ts'

/** Options for {@link MockTenant.deliverTo}. @inline */
export type DeliverOptions = {
  /**
   * URL to request, for a target that routes by path.
   * @default 'https://receiver.invalid/webhooks'
   */
  readonly url?: string | undefined
}

/**
 * An organization of the mock: an account at the vendor, with functions for tests.
 * Tenants are isolated from each other, and each has its own clock.
 *
 * @interface
 */
export type MockTenant = Account &
  Waits & {
    /** Base URL of the public API. */
    readonly url: string
    /** Seed for keys, numbers, ids, generated data and random faults. Messages of failed waits show it. */
    readonly seed: number
    /** The service that the mock imitates. */
    readonly profile: 'reference' | 'live' | 'measured'
    /** The reference server behind the mock, for operations without a function here. A reset replaces it. */
    readonly server: ReferenceServer
    readonly clock: MockClock
    /** Faults for the API and for deliveries. */
    readonly faults: Faults
    /** The requests to the public API that have ended since the last reset, in the order in which they ended. */
    readonly requests: readonly RecordedRequest[]
    /** All known events since the last reset, oldest first, even if they were not delivered. */
    readonly events: readonly WebhookEvent[]
    /** The attempts to deliver a webhook that have ended since the last reset, in the order in which they ended. */
    readonly deliveries: readonly RecordedDelivery[]

    /**
     * Responds to a request to the public API in process; pass it to a client as its `fetch`. Rejects like a
     * real `fetch` if a fault resets the connection.
     */
    fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
    /**
     * Creates a client for this tenant. Its waits advance the virtual clock, so that retries take no real time. With the
     * machine's clock, they do.
     *
     * @param options - options of `createClient`, which override the tenant's.
     */
    client(options?: ClientOptions): Client
    /**
     * Delivers the events of both numbers in process, as requests of the profile: signed ones in `reference`. Without a
     * target, deliveries are only recorded. After a reset, another target may replace this one.
     *
     * @param target - a receiver, or a function from `Request` to `Response`.
     * @returns a function that removes the target.
     * @throws MockUsageError if there already is a target, because both would have to verify with the same secret, or if the
     *   URL is not absolute or contains a user name or a password.
     * @example
     * mock.deliverTo(receiver)
     * mock.deliverTo(app.fetch, { url: 'https://app.test/webhooks/wabakit' })
     */
    deliverTo(target: DeliveryTarget, options?: DeliverOptions): () => void
    /**
     * Adds a webhook subscription for a URL over HTTP, or for a receiver in process.
     *
     * @throws MockUsageError if a field is unknown or invalid, if not exactly one of `url` and `receiver` is set, or if a
     *   `number` has no `channel`.
     * @throws InputError from the core if the number does not belong to the tenant.
     */
    subscribe(subscription: SubscriptionRequest): Promise<MockSubscription>
    /**
     * Simulates a call from its start to its end, and saves its summary when it is due. Resolves when the
     * call has ended; deliveries follow (see `waitForDelivery`).
     *
     * @example
     * const call = await mock.simulateCall({ channel: 'WHATSAPP', summary: { recap: 'Asked for a refund.', after: '30s' } })
     */
    simulateCall(call?: CallSimulation): Promise<SimulatedCall>
    /**
     * Saves a call's summary now. If there already is one, replaces it without publishing an event.
     *
     * @throws MockUsageError if a field of the summary is unknown or invalid.
     * @throws an error of the core if there is no such call, it cannot have a summary, or a text cannot be stored.
     */
    simulateSummary(callId: string, summary?: SummarySimulation): Promise<SavedSummary>
    /** Makes a participant join or leave a group, or removes them from it. */
    simulateParticipant(
      action: ParticipantAction,
      participant: ParticipantSimulation,
    ): Promise<ParticipantRecord>
    /**
     * Sends any event, also one that the service itself would not send: a known event with this tenant's numbers, or any
     * payload. Use it for CALL_MISSED, for payloads of other versions, and for invalid payloads that your receiver must
     * survive.
     *
     * @example
     * await mock.trigger('CALL_MISSED', { callId })
     * await mock.trigger({ type: 'wa_group', from: '+15550100001', message: 'Hello' })
     */
    trigger<Name extends EventName>(name: Name, overrides?: FixtureOverrides<Name>): Promise<void>
    trigger(payload: object): Promise<void>
    /**
     * Saves what happened since the last reset as an HTML file, which shows it in a browser without the mock: what the test asked
     * for, what was sent and received, what is still due, and how each wait ended. The secrets, keys and tokens of the mock and its subscriptions are
     * hidden.
     *
     * @param path - the path of the file. Its folder is created.
     * @throws MockUsageError if the viewer's package `@wabakit/server` is not installed, or the runtime has no files.
     * @example
     * afterEach(async ({ task }) => {
     *   if (task.result?.state === 'fail') await mock.saveTrace(`traces/${task.id}.html`)
     * })
     */
    saveTrace(path: string): Promise<void>
    /**
     * Forgets groups, calls, unfinished deliveries, scheduled summaries, faults, recordings, and
     * subscriptions added by `subscribe`. A virtual clock and generated data start over; generated ids do not repeat. The
     * key, the numbers, the secret and the target of `deliverTo` are kept.
     */
    reset(): void
  }
