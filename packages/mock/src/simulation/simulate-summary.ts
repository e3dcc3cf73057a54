import type { SavedSummary } from '@wabakit/core'
import { completeSummary, type SummarySimulation } from '@wabakit/core/simulation'
import * as z from 'zod/mini'
import { parseInput } from '../input.ts'
import type { SimulationContext } from './simulation-context.ts'

export const summarySchema = z.strictObject({
  recap: z.optional(z.string()),
  keyPoints: z.optional(z.readonly(z.array(z.string()))),
  nextSteps: z.optional(z.readonly(z.array(z.string()))),
  generatedBy: z.optional(z.enum(['automatic', 'team_member'])),
} satisfies Record<keyof SummarySimulation, unknown>)

/** Saves a call's summary now. The first one publishes CALL_AI_SUMMARY; later ones replace it without an event. */
export const simulateSummary = async (
  { account: { organizationId }, server, createCallData }: SimulationContext,
  callId: string,
  input: SummarySimulation = {},
): Promise<SavedSummary> => {
  const parsed = parseInput('simulateSummary', summarySchema, input)
  const organization = await server.organizations.find(organizationId)
  const byDefault = organization?.callSummaries === 'automatic' ? 'automatic' : 'team_member'
  return server.summaries.save(organizationId, callId, completeSummary(parsed, createCallData()), {
    generatedBy: parsed.generatedBy ?? byDefault,
  })
}
