// The mock and its tenants

export { createMock, type Mock } from './create-mock.ts'
export type { MockOptions, TenantSettings } from './mock-options.ts'
export type { DeliverOptions, MockTenant } from './tenant/tenant.ts'

// Time

export type { Duration } from '@wabakit/core/simulation'
export type { MockClock } from './time/mock-clock.ts'

// Simulated calls, summaries and participants

export type {
  CallOutcome,
  CallSimulation,
  LaterSummary,
  SimulatedCall,
  SummarySimulation,
} from '@wabakit/core/simulation'
export type { ParticipantAction, ParticipantSimulation } from './simulation/simulate.ts'

// Payloads without a mock

export { type Fixture, type FixtureOverrides, type Fixtures, fixtures } from './data/fixtures.ts'

// Webhook targets, and recordings of requests and deliveries

export type { ReceiverOutcome } from './delivery/receiver-outcomes.ts'
export type { DeliveryTarget } from './delivery/targets.ts'
export type { DeliveryOf, RecordedDelivery, RecordedRequest } from './recording.ts'
export type { MockSubscription, SubscriptionRequest } from './tenant/subscribe.ts'

// Waiting for events

export type { Asymmetric, Partially } from './matching/find-differences.ts'
export type { EventMatch } from './waiting/event-filter.ts'
export type { WaitOptions } from './waiting/waits.ts'

// Faults of the API and of deliveries

export type {
  ApiFault,
  FaultedEndpoint,
  FaultOptions,
  LiveSettings,
  WebhookAuth,
} from '@wabakit/core/simulation'
export type {
  DelayFault,
  DeliveryFault,
  DeliveryFaultOptions,
  DropFault,
  DuplicateFault,
  FaultedEvent,
  ReorderFault,
  TamperFault,
  TimeOutFault,
} from './faults/delivery-fault.ts'
export type { DeliveryFaults } from './faults/delivery-faults.ts'
export type { Faults } from './faults/faults.ts'

// Everything that `mock.client()`, `mock.server` and received events lead to

export type * from '@wabakit/client'
export type { Clock as ClientClock, WaitOptions as ClientWaitOptions } from '@wabakit/client'
export type * from '@wabakit/core'
export type { Clock } from '@wabakit/core'
export type {
  CallAcceptedEvent,
  CallEndedEvent,
  CallIncomingInitiatedEvent,
  CallMissedEvent,
  CallNotPickedEvent,
  CallOutgoingInitiatedEvent,
  CallRejectedEvent,
  EventName,
  GroupCreatedEvent,
  GroupParticipantJoinedEvent,
  GroupParticipantLeftEvent,
  GroupParticipantRemovedEvent,
  WebhookEvent,
  WebhookEventOf,
} from '@wabakit/wire'

// Errors

export { MockTimeoutError, MockUsageError, UnexpectedEventError } from './errors.ts'
