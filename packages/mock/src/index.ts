// The mock and its tenants

// Time
// Simulations
// Faults
export type {
  ApiFault,
  CallOutcome,
  Duration,
  FaultedEndpoint,
  FaultOptions,
  LaterSummary,
  SimulatedCall,
  SummarySimulation,
} from '@wabakit/core/simulation'
export { createMock, type Mock } from './create-mock.ts'
// Payloads without a mock
export { type Fixture, type FixtureOverrides, type Fixtures, fixtures } from './data/fixtures.ts'
// Webhooks and recordings
export type { DeliveryTarget } from './delivery/targets.ts'
// Errors
export { MockTimeoutError } from './errors/mock-timeout-error.ts'
export { MockUsageError } from './errors/mock-usage-error.ts'
export { UnexpectedEventError } from './errors/unexpected-event-error.ts'
export type {
  DelayFault,
  DeliveryFault,
  DeliveryFaultOptions,
  DropFault,
  DuplicateFault,
  FaultedEvent,
  ReorderFault,
  TamperFault,
} from './faults/delivery-fault.ts'
export type { DeliveryFaults } from './faults/delivery-faults.ts'
export type { Faults } from './faults/faults.ts'
// Waiting
export type { Asymmetric, Partially } from './matching/find-differences.ts'
export type { MockOptions, TenantSettings } from './mock-options.ts'
export type { DeliveryOf, RecordedDelivery } from './recording/recorded-delivery.ts'
export type { RecordedRequest } from './recording/recorded-request.ts'
export type { CallSimulation } from './simulation/simulate-call.ts'
export type { ParticipantAction, ParticipantSimulation } from './simulation/simulate-participant.ts'
export type { MockSubscription, SubscriptionRequest } from './tenant/subscribe.ts'
export type { DeliverOptions, MockTenant } from './tenant/tenant.ts'
export type { MockClock } from './time/mock-clock.ts'
export type { EventMatch } from './waiting/event-filter.ts'
export type { NoEventOptions, WaitOptions } from './waiting/waits.ts'
