import { CallSummary, type Issue, toIssues } from '@wabakit/contract'
import { InputError } from '../errors/input-error.ts'
import { RecordNotFoundError } from '../errors/record-errors.ts'
import { SummaryRefusedError } from '../errors/summary-refused-error.ts'
import { draftSummary } from '../events/event-draft.ts'
import { getCallState, step } from '../machines.ts'
import type { CallSummaryRecord, OrganizationRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import type { CallWithSummary } from '../store.ts'
import { checkIdentifiers } from '../values/identifier.ts'
import { isStorableText } from '../values/storable-text.ts'

/** The result of saving a summary. */
export type SavedSummary = {
  /** `first`: CALL_AI_SUMMARY was published. `replaced`: the call already had a summary, and no event was published. */
  readonly outcome: 'first' | 'replaced'
  readonly record: CallSummaryRecord
}

/** The AI summaries of a server's calls. */
export type Summaries = {
  /**
   * Saves a call's summary. The first one publishes CALL_AI_SUMMARY (except for a bot test call without webhooks);
   * every later one replaces it without an event. `generatedBy` is `automatic` after the call, if the organization's
   * setting allows it, or `team_member` on request, from the chat.
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
  const issues: Issue[] = Object.entries({ recap: [recap], keyPoints, nextSteps })
    .filter(([, texts]) => !texts.every(isStorableText))
    .map(([path]) => ({ path, message: 'must not contain a NUL character or a lone surrogate' }))
  if (issues.length > 0) throw new InputError(issues)
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

const assertSummarizable = (
  organization: OrganizationRecord,
  found: CallWithSummary,
  generation: Pick<CallSummaryRecord, 'generatedBy'>,
): void => {
  step('call', getCallState(found), 'summarize')
  if (found.call.recorded !== true) throw new SummaryRefusedError('no_recording')
  if (found.call.spoken !== true) throw new SummaryRefusedError('nothing_said')
  checkGeneration(organization, generation)
}

export const createSummaries = ({ store, clock, log, directory }: ServerContext): Summaries => ({
  save: async (organizationId, callId, input, generation) => {
    const summary = parseSummary(input)
    checkIdentifiers({ callId })
    const organization = await directory.getOrganization(organizationId)
    const found = await store.findCall(organizationId, callId)
    if (found === undefined) throw new RecordNotFoundError('call', callId)
    assertSummarizable(organization, found, generation)
    const { generatedBy } = generation
    const record: CallSummaryRecord = {
      organizationId,
      callId,
      summary,
      generatedBy,
      generatedAt: clock.now(),
    }
    const draft = draftSummary(found.call, record)
    const prepared = draft && log.prepare(draft)
    const outcome = await store.saveSummary({ summary: record, event: prepared?.record ?? null })
    if (outcome === 'first') log.emit(prepared)
    return { outcome, record }
  },
})
