import type { CallSummary } from '@wabakit/contract'
import type { SummarySimulation } from './call-simulation.ts'

/** A summary whose missing parts are made up. */
export const completeSummary = (
  { recap, keyPoints, nextSteps }: SummarySimulation,
  madeUp: CallSummary,
): CallSummary => ({
  recap: recap ?? madeUp.recap,
  keyPoints: [...(keyPoints ?? madeUp.keyPoints)],
  nextSteps: [...(nextSteps ?? madeUp.nextSteps)],
})
