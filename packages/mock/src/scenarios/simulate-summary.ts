import type { SavedSummary } from '@wabakit/core'
import { parseInput } from '../input.ts'
import { SummarySimulation } from './call-simulation.ts'
import { completeSummary } from './complete-summary.ts'
import type { ScenarioContext } from './scenario-context.ts'

/**
 * Has a call's summary generated now: the first tells CALL_AI_SUMMARY, each later one replaces it silently.
 */
export const simulateSummary = async (
  { account, server, isAutomatic, nextCallData }: ScenarioContext,
  callId: string,
  input: SummarySimulation = {},
): Promise<SavedSummary> => {
  const { generatedBy, ...given } = parseInput('simulateSummary', SummarySimulation, input)
  const summary = completeSummary(given, nextCallData().summary)
  return server.summaries.save(account.organizationId, callId, summary, {
    generatedBy: generatedBy ?? (isAutomatic ? 'automatic' : 'team_member'),
  })
}
