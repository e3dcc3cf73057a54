import type { SimulationContext } from '../simulation/simulate.ts'

/** Maximum number of calls that are looked at, newest first. */
const maxCalls = 20

/** Explains why calls have no summary, and none is scheduled, in one line for each. */
export const explainSummaries = async (
  { server, account: { organizationId }, calls }: SimulationContext,
  now: () => number,
): Promise<string[]> => {
  const { items } = await server.calls.list(organizationId, { limit: maxCalls })
  const callSummaries = (await server.organizations.find(organizationId))?.callSummaries ?? 'automatic'
  const lines: string[] = []
  for (const call of items.toReversed()) {
    const { callId } = call
    const { summary } = (await server.calls.find(organizationId, callId)) ?? {}
    const dueAt = calls.findDueSummary(organizationId, callId)
    if (summary !== undefined || dueAt !== undefined) continue
    // Loaded here rather than with this file, because most tests have no wait to explain.
    const { explainSummary } = await import('@wabakit/core/control')
    const circumstances = { call, summary, callSummaries, dueAt, deliveries: [] }
    lines.push(`${callId}: ${(await explainSummary({ service: server, now }, circumstances)).text}`)
  }
  return lines
}
