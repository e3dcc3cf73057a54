import type { SummaryEvents } from 'wabakit'
import { client } from './create.ts'

export const printSummary = async (callId: string, receiver: SummaryEvents) => {
  const { summary } = await client.calls.waitForSummary(callId, { maxWaitMs: 60_000, events: receiver })
  console.log(summary.recap, summary.nextSteps)
}
