export { createMock, type Mock } from './create-mock.ts'
export { type Fixture, type FixtureOverrides, type Fixtures, fixtures } from './data/fixtures.ts'
export type { ObservedCallEventName } from './data/observed-call-event.ts'
export type { DeliveryTarget } from './delivery/targets.ts'
export { MockTimeoutError } from './errors/mock-timeout-error.ts'
export { MockUsageError } from './errors/mock-usage-error.ts'
export { UnexpectedEventError } from './errors/unexpected-event-error.ts'
export { ApiFault } from './faults/api-fault.ts'
export type { ApiFaults, FaultedEndpoint } from './faults/api-rules.ts'
export {
  DelayFault,
  type DeliveryFault,
  type DeliveryFaultOptions,
  DropFault,
  DuplicateFault,
  deliveryFaults,
  type FaultedEvent,
  ReorderFault,
  TamperFault,
} from './faults/delivery-fault.ts'
export type { DeliveryFaults } from './faults/delivery-rules.ts'
export { Chance, type RuleOptions, Times } from './faults/rule.ts'
export type { Asymmetric, Partially } from './matching/match.ts'
export { MockOptions } from './mock-options.ts'
export type { DeliveryOf, RecordedDelivery } from './recording/recorded-delivery.ts'
export type { RecordedRequest } from './recording/recorded-request.ts'
export { CallOutcome, CallSimulation, LaterSummary, SummarySimulation } from './scenarios/call-simulation.ts'
export { ParticipantAction, ParticipantSimulation } from './scenarios/participant-simulation.ts'
export type { SimulatedCall } from './scenarios/simulate-call.ts'
export type { Faults } from './tenant/faults.ts'
export { TenantSettings } from './tenant/settings.ts'
export { type MockSubscription, SubscriptionData, type SubscriptionRequest } from './tenant/subscribe.ts'
export type { DeliverOptions, MockTenant, NoEventOptions } from './tenant/tenant.ts'
export { Duration } from './time/duration.ts'
export type { MockClock } from './time/mock-clock.ts'
export type { EventMatch } from './waiting/event-match.ts'
export type { WaitOptions } from './waiting/wait-options.ts'
