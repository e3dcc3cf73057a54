// For simulators: the mock and the server's control API

export { toCallSubject, toGroupSubject } from '../events/event-log.ts'
export {
  ApiFault,
  type ApiFaults,
  createApiFaults,
  type EndpointFault,
  FaultedEndpoint,
} from '../faults/api-faults.ts'
export { createFaultList, FaultOptions, type PlannedFault } from '../faults/fault-list.ts'
export { respondWithFault } from '../faults/respond-with-fault.ts'
export { SubscriptionInput } from '../subscriptions/subscription-input.ts'
export { type CallData, createCallData, createPhoneNumber } from './call-data.ts'
export {
  type CallOutcome,
  CallSimulation,
  Duration,
  durationRule,
  LaterSummary,
  type SimulatedCall,
  SummarySimulation,
  toMilliseconds,
} from './call-simulation.ts'
export { type CallSimulator, createCallSimulator } from './call-simulator.ts'
export { endRetries } from './end-retries.ts'
export { LiveSettings, toAuthHeader, type WebhookAuth } from './live-settings.ts'
export { buildObservedCallEvent, type ObservedCallEventName } from './observed-call-event.ts'
export { createSeededRandom } from './seeded-random.ts'
export { completeSummary } from './simulate-call.ts'
