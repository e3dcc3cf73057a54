import { CallSummary, type Issue, issuesOf } from '@wabakit/contract'
import { InputError } from '../errors/input-error.ts'
import { RecordNotFoundError } from '../errors/record-not-found-error.ts'
import { SummaryRefusedError } from '../errors/summary-refused-error.ts'
import { summaryGenerated } from '../events/event-draft.ts'
import type { EventLog } from '../events/event-log.ts'
import { step } from '../machines.ts'
import type { CallSummaryRecord, OrganizationRecord } from '../records.ts'
import type { CallWithSummary, Store } from '../store.ts'
import type { Directory } from '../tenancy/directory.ts'
import type { Clock } from '../values/clock.ts'
import { checkIdentifiers } from '../values/identifier.ts'
import { isStorableText } from '../values/storable-text.ts'
import { stateOf } from './call-state.ts'

/** How a summary came to be. */
export type SummaryGeneration = {
  /** `automatic`: after the call, as the organization's setting says. `team_member`: by somebody, from the chat. */
  readonly generatedBy: CallSummaryRecord['generatedBy']
}

/** What saving a summary did. */
export type SavedSummary = {
  /** `first`: CALL_AI_SUMMARY happened. `replaced`: there was a summary, and no event tells of the new one. */
  readonly outcome: 'first' | 'replaced'
  readonly record: CallSummaryRecord
}

/** The AI summaries of a server's calls. */
export type Summaries = {
  /**
   * Keeps a call's summary. The first one tells CALL_AI_SUMMARY (unless it was a bot test call without webhooks);
   * every later one replaces it silently.
   *
   * @throws InputError when the summary is none.
   * @throws IllegalTransitionError when the call has not ended, or was never answered.
   * @throws SummaryRefusedError when the call can have none, or automatic summaries are off.
   * @throws RecordNotFoundError when there is no such call or organization.
   */
  save(
    organizationId: string,
    callId: string,
    summary: CallSummary,
    generation: SummaryGeneration,
  ): Promise<SavedSummary>
}

/** What {@link createSummaries} works with. */
export type SummariesContext = {
  readonly store: Store
  readonly clock: Clock
  readonly log: EventLog
  readonly directory: Directory
}

const parseSummary = (input: unknown): CallSummary => {
  const parsed = CallSummary.safeParse(input)
  if (!parsed.success) throw new InputError(issuesOf(parsed.error))
  const { recap, keyPoints, nextSteps } = parsed.data
  const issues: Issue[] = Object.entries({ recap: [recap], keyPoints, nextSteps })
    .filter(([, texts]) => !texts.every(isStorableText))
    .map(([path]) => ({ path, message: 'must not contain a NUL character or a lone surrogate' }))
  if (issues.length > 0) throw new InputError(issues)
  return { recap, keyPoints, nextSteps }
}

const checkSummarisable = (
  { callSummaries }: OrganizationRecord,
  found: CallWithSummary,
  { generatedBy }: SummaryGeneration,
): void => {
  step('call', stateOf(found), 'summarise')
  if (found.call.recorded !== true) throw new SummaryRefusedError('no_recording')
  if (found.call.spoken !== true) throw new SummaryRefusedError('nothing_said')
  if (generatedBy === 'automatic' && callSummaries !== 'automatic') {
    throw new SummaryRefusedError('automatic_summaries_off')
  }
}

/** Makes the operation on summaries. */
export const createSummaries = ({ store, clock, log, directory }: SummariesContext): Summaries => ({
  save: async (organizationId, callId, input, generation) => {
    const summary = parseSummary(input)
    checkIdentifiers({ callId })
    const organization = await directory.organization(organizationId)
    const found = await store.findCall(organizationId, callId)
    if (found === undefined) throw new RecordNotFoundError('call', callId)
    checkSummarisable(organization, found, generation)
    const { generatedBy } = generation
    const record: CallSummaryRecord = {
      organizationId,
      callId,
      summary,
      generatedBy,
      generatedAt: clock.now(),
    }
    const draft = summaryGenerated(found.call, record)
    const prepared = draft && log.prepare(draft)
    const outcome = await store.saveSummary({ summary: record, event: prepared?.record ?? null })
    if (outcome === 'first') log.emit(prepared)
    return { outcome, record }
  },
})
