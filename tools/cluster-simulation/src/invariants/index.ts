import { StorageOutcomeUnknownError, StorageUnavailableError } from '@wabakit/core'
import type { Observation, ObservationKind } from '../observations.ts'
import { createAcknowledgedInvariant } from './acknowledged.ts'
import { createAttemptsInvariant } from './attempts.ts'
import { createEffectsInvariant } from './effects.ts'
import { createEventsInvariant } from './events.ts'
import { createFiguresInvariant } from './figures.ts'
import { createGroupsInvariant } from './groups.ts'
import { createHealthInvariant } from './health.ts'
import type { FinalState, Invariant, InvariantContext } from './invariant.ts'
import { createLanesInvariant } from './lanes.ts'
import { createLinearizableInvariant } from './linearizable.ts'
import { createListsInvariant } from './lists.ts'
import { createScheduleInvariant } from './schedule.ts'
import { createSettledInvariant } from './settled.ts'
import { createStartLimitsInvariant } from './start-limits.ts'
import { createStarvationInvariant } from './starvation.ts'

const isOfStore = (error: unknown): boolean =>
  error instanceof StorageUnavailableError || error instanceof StorageOutcomeUnknownError

/** Checks that all errors come from an unavailable store, also those that add what to do. */
const createErrorsInvariant = ({ violate }: InvariantContext): Invariant => ({
  on: {
    rejection: ({ server, error }) => {
      if (isOfStore(error) || (error instanceof Error && isOfStore(error.cause))) return
      const what = error instanceof Error ? error.stack : String(error)
      violate('there are no unexpected errors', `${server}: ${what}`)
    },
  },
})

/** Creates the invariants of a run. `liveness.ts` checks that everything settles in time. */
export const createInvariants = (run: Omit<InvariantContext, 'hasSeen'>) => {
  const seen = new Set<ObservationKind>()
  const context: InvariantContext = { ...run, hasSeen: (kind) => seen.has(kind) }
  let prunedBefore = 0
  const watchPruning: Invariant = {
    on: {
      pruned: ({ before }) => {
        prunedBefore = Math.max(prunedBefore, before)
      },
    },
  }
  const invariants = [
    () => watchPruning,
    createAcknowledgedInvariant,
    createGroupsInvariant,
    createEventsInvariant,
    createAttemptsInvariant,
    createLanesInvariant,
    createScheduleInvariant,
    createEffectsInvariant,
    createHealthInvariant,
    createSettledInvariant,
    createListsInvariant,
    createFiguresInvariant,
    createErrorsInvariant,
    createStarvationInvariant,
    createStartLimitsInvariant,
    createLinearizableInvariant,
  ].map((createInvariant) => createInvariant(context))

  return {
    observe: <Kind extends ObservationKind>(observation: Observation<Kind>): void => {
      seen.add(observation.kind)
      for (const { on } of invariants) on?.[observation.kind]?.(observation)
    },
    finish: async (state: Omit<FinalState, 'prunedBefore'>): Promise<void> => {
      for (const invariant of invariants) await invariant.finish?.({ ...state, prunedBefore })
    },
  }
}
