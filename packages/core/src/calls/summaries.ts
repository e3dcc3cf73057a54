import { CallSummary, toIssues } from '@wabakit/contract'
import { InputError, SummaryRefusedError } from '../errors/operation-errors.ts'
import { RecordNotFoundError } from '../errors/record-errors.ts'
import type { CallSummaryRecord, OrganizationRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import { getOrganization } from '../tenancy/organizations.ts'
import { getCallState, step } from '../transitions.ts'
import { checkIdentifiers, checkTexts } from '../values/storable-text.ts'
import { draftSummary } from './call-events.ts'

/** The result of saving a summary. */
export type SavedSummary = {
  /**
   * `first`: the call had no summary before. CALL_AI_SUMMARY was published, except for a bot test call without
   * webhooks. `replaced`: the call has or had a summary, which may have been erased since, and no event was published.
   */
  readonly outcome: 'first' | 'replaced'
  readonly record: CallSummaryRecord
}

/** The AI summaries of a server's calls. */
export type Summaries = {
  /**
   * Saves a call's summary. The first one publishes CALL_AI_SUMMARY (except for a bot test call without webhooks);
   * every later one replaces it without an event. `generatedBy` is `automatic` for a summary that is generated after
   * the call, if the organization's setting allows it, and `team_member` for a summary that a team member requests in
   * the chat.
   *
   * @throws InputError if the summary is invalid.
   * @throws IllegalTransitionError if the call has not ended, or was never answered.
   * @throws SummaryRefusedError if the call cannot have a summary, or automatic summaries are off.
   * @throws RecordNotFoundError if there is no such call or organization.
   */
  save(
    organizationId: string,
    callId: string,
    summary: CallSummary,
    generation: Pick<CallSummaryRecord, 'generatedBy'>,
  ): Promise<SavedSummary>
}

/** @throws InputError if the summary is invalid. */
export const parseSummary = (input: unknown): CallSummary => {
  const parsed = CallSummary.safeParse(input)
  if (!parsed.success) throw new InputError(toIssues(parsed.error))
  const { recap, keyPoints, nextSteps } = parsed.data
  checkTexts({ recap, keyPoints: keyPoints.join('\n'), nextSteps: nextSteps.join('\n') })
  return { recap, keyPoints, nextSteps }
}

/** @throws SummaryRefusedError if the summary is automatic and the organization's summaries are manual. */
export const checkGeneration = (
  { callSummaries }: OrganizationRecord,
  { generatedBy }: Pick<CallSummaryRecord, 'generatedBy'>,
): void => {
  if (generatedBy === 'automatic' && callSummaries !== 'automatic') {
    throw new SummaryRefusedError('automatic_summaries_off')
  }
}

export const createSummaries = ({ store, clock, log }: ServerContext): Summaries => ({
  save: async (organizationId, callId, input, generation) => {
    const summary = parseSummary(input)
    checkIdentifiers({ callId })
    const organization = await getOrganization(store, organizationId)
    const found = await store.findCall(organizationId, callId)
    if (found === undefined) throw new RecordNotFoundError('call', callId)
    const { call } = found
    step('call', getCallState(found), 'summarize')
    if (call.recorded !== true) throw new SummaryRefusedError('no_recording')
    if (call.spoken !== true) throw new SummaryRefusedError('nothing_said')
    checkGeneration(organization, generation)
    const { generatedBy } = generation
    const record = { organizationId, callId, summary, generatedBy, generatedAt: clock.now() }
    const draft = draftSummary(call, record)
    const prepared = draft && log.prepare(draft)
    const outcome = await store.saveSummary({ summary: record, event: prepared?.record ?? null })
    if (outcome === 'first') log.report(prepared)
    return { outcome, record }
  },
})
