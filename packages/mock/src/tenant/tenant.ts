import type { Client, ClientOptions } from '@wabakit/client'
import type { EventName, WebhookEvent, WebhookEventOf } from '@wabakit/contract'
import type { ParticipantRecord, ReferenceServer, SavedSummary } from '@wabakit/core'
import type { FixtureOverrides } from '../data/fixtures.ts'
import type { DeliveryTarget } from '../delivery/targets.ts'
import type { DeliveryOf, RecordedDelivery } from '../recording/recorded-delivery.ts'
import type { RecordedRequest } from '../recording/recorded-request.ts'
import type { CallSimulation, SummarySimulation } from '../scenarios/call-simulation.ts'
import type { ParticipantAction, ParticipantSimulation } from '../scenarios/participant-simulation.ts'
import type { SimulatedCall } from '../scenarios/simulate-call.ts'
import type { MockClock } from '../time/mock-clock.ts'
import type { EventMatch } from '../waiting/event-match.ts'
import type { WaitOptions } from '../waiting/wait-options.ts'
import type { Faults } from './faults.ts'
import type { MockSubscription, SubscriptionRequest } from './subscribe.ts'

/** Options of {@link MockTenant.deliverTo}. */
export type DeliverOptions = {
  /**
   * URL of the requests, for a target that routes by path.
   * @default 'https://receiver.invalid/webhooks'
   */
  readonly url?: string | undefined
}

/** Options of {@link MockTenant.expectNoEvent}. */
export type NoEventOptions = {
  /**
   * Milliseconds of real time in which it must not happen either.
   * @default 0
   */
  readonly forMs?: number | undefined
}

/**
 * One organization of the mock with everything an integrator would have been given, and the handles of a test on it.
 * Tenants see nothing of each other, and each has a clock of its own.
 */
export type MockTenant = {
  /** Base URL of the public API. */
  readonly url: string
  /** Public API key, for every number of the organization. */
  readonly apiKey: string
  /** The organization's WhatsApp Business number. */
  readonly wabaNumber: string
  /** The organization's telephone number. */
  readonly pstnNumber: string
  /** Secret that signs the webhooks, for `standardWebhooks({ secrets: [mock.secret] })`. */
  readonly secret: string
  /** Id of the organization on {@link MockTenant.server}. */
  readonly organizationId: string
  /** What all made-up data and chance come from. */
  readonly seed: number
  /** The reference server behind it, for what has no handle here. A reset makes a new one. */
  readonly server: ReferenceServer
  /** The time of this tenant. */
  readonly clock: MockClock
  /** Faults of the API and of deliveries. */
  readonly faults: Faults
  /** Every request of the public API so far, oldest first. */
  readonly requests: readonly RecordedRequest[]
  /** Every known event so far, oldest first, whether or not a webhook carried it. */
  readonly events: readonly WebhookEvent[]
  /** Every attempt to deliver a webhook so far, oldest first. */
  readonly deliveries: readonly RecordedDelivery[]

  /**
   * Answers a request of the public API in process: to be passed as `fetch` of a client. Rejects as a real `fetch`
   * does when a fault resets the connection.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /**
   * A client of this tenant. It sleeps on the mock's clock and moves it, so that a retry costs no time.
   *
   * @param options - options of `createClient`, over the tenant's own.
   */
  client(options?: ClientOptions): Client
  /**
   * Delivers all events of both channels in process, as signed requests. Before, and after the returned function was
   * called, deliveries are only collected. A target that was there before a reset gives way to a new one.
   *
   * @param target - a receiver, or a function from `Request` to `Response`.
   * @throws MockUsageError when there is a target already: both would have to verify with the same secret.
   * @example
   * mock.deliverTo(receiver)
   * mock.deliverTo(app.fetch, { url: 'https://app.test/webhooks/wabakit' })
   */
  deliverTo(target: DeliveryTarget, options?: DeliverOptions): () => void
  /**
   * Adds a webhook subscription: to a URL over HTTP, or to a receiver in process.
   *
   * @throws MockUsageError when a field is unknown, or both or none of `url` and `receiver` are given.
   * @throws InputError of the core when the number is not the tenant's, or the URL or secret cannot be one.
   */
  subscribe(subscription: SubscriptionRequest): Promise<MockSubscription>
  /**
   * Plays a call: started, accepted and ended, and its summary saved when that is due. Resolves when it has happened;
   * the deliveries follow by themselves (`waitForDelivery`).
   *
   * @example
   * const call = await mock.simulateCall({ channel: 'WHATSAPP', summary: { recap: 'Asked for a refund.', after: '30s' } })
   */
  simulateCall(call?: CallSimulation): Promise<SimulatedCall>
  /** Has a summary generated now: of a call that has none yet, or again, which replaces it and sends no event. */
  simulateSummary(callId: string, summary?: SummarySimulation): Promise<SavedSummary>
  /** Has somebody join or leave a group, or be removed from it. */
  simulateParticipant(
    action: ParticipantAction,
    participant: ParticipantSimulation,
  ): Promise<ParticipantRecord>
  /**
   * Sends an event that no rule of the service makes: one by name, with this tenant's numbers, or any payload. For
   * CALL_MISSED, for payloads of other versions, for what your receiver must survive.
   *
   * @example
   * await mock.trigger('CALL_MISSED', { callId })
   * await mock.trigger({ type: 'wa_group', from: '+15550100001', message: 'Hello' })
   */
  trigger<Name extends EventName>(name: Name, overrides?: FixtureOverrides<Name>): Promise<void>
  trigger(payload: object): Promise<void>
  /**
   * The first event of this name that matches, as soon as it has happened: it may have already.
   *
   * @throws MockTimeoutError when it did not happen in time; the message shows what did, and how the nearest differs.
   */
  waitForEvent<Name extends EventName>(
    name: Name,
    match?: EventMatch<Name>,
    options?: WaitOptions,
  ): Promise<WebhookEventOf<Name>>
  /**
   * The first acknowledged delivery (answered 200 to 299) of an event of this name that matches. What is only
   * collected counts as long as nobody else has subscribed.
   *
   * @throws MockTimeoutError when there was none in time; the message shows what was answered instead.
   */
  waitForDelivery<Name extends EventName>(
    name: Name,
    match?: EventMatch<Name>,
    options?: WaitOptions,
  ): Promise<DeliveryOf<Name>>
  /**
   * Makes sure that no event of this name that matches has happened.
   *
   * @throws UnexpectedEventError when one has.
   */
  expectNoEvent<Name extends EventName>(
    name: Name,
    match?: EventMatch<Name>,
    options?: NoEventOptions,
  ): Promise<void>
  /**
   * Forgets everything that happened: groups, calls, deliveries on their way, what is scheduled, faults, recordings
   * and subscriptions made by `subscribe`. Clock and made-up data start again; ids go on. Key, numbers, secret and
   * the target of `deliverTo` stay.
   */
  reset(): void
}
