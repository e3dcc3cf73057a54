// For simulators: the mock and the server's control API

// Simulated calls

export type {
  CallOutcome,
  CallSimulation,
  LaterSummary,
  SimulatedCall,
  SummarySimulation,
} from './call-simulation.ts'
export { completeSummary, type SimulationContext, simulateCall } from './simulate-call.ts'

// Subjects of simulated events

export { toCallSubject, toGroupSubject } from '../events/event-log.ts'

// Made-up data

export { type CallData, createCallData, createPhoneNumber } from './call-data.ts'
export { createSeededRandom } from './seeded-random.ts'

// Faults of the public API

export {
  type ApiFault,
  type ApiFaults,
  createApiFaults,
  type EndpointFault,
  type FaultedEndpoint,
} from '../faults/api-faults.ts'
export { createFaultList, type FaultOptions, type PlannedFault } from '../faults/fault-list.ts'
export { respondWithFault } from '../faults/respond-with-fault.ts'

// Durations

export { type Duration, toMilliseconds } from './call-simulation.ts'
