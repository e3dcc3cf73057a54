import type { EventName } from '@wabakit/contract'
import { eventExamples } from '@wabakit/contract/documents'
import { showsText } from '../decode-effects.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import { buildEvent, callInOrder } from '../payloads.ts'

const keepLetters = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '')

/** Returns whether a text names an event, however it writes the name: `CALL_ENDED`, `call.ended`, `CallEnded`. */
const namesEvent = (text: string, name: EventName): boolean => keepLetters(text).includes(keepLetters(name))

const { recap, keyPoints, nextSteps } = eventExamples.CALL_AI_SUMMARY.summary

/** Texts of the usual summary. Effects may cut the recap. */
const summaryTexts = [recap.slice(0, 20), ...keyPoints, ...nextSteps]

/** Why effects that may show only the latest event of a call or a group prove nothing. */
export const latestEventAlone =
  'the effects may show only the latest event of a call or a group, and then do not tell what was kept; let --effects print summaries and participants'

/** Returns whether late events have turned the effects of a call or a group into those of another one, which had these events alone. */
export const isReset = (
  before: readonly string[],
  after: readonly string[],
  other: readonly string[],
): boolean => after.join('\n') !== before.join('\n') && after.join('\n') === other.join('\n')

/**
 * Returns whether effects of a call that late events have reset may show only the latest event of each call. They have as many lines as before,
 * and these named the event, or showed no text of the summary.
 */
export const mayShowLatestEvent = (before: readonly string[], after: readonly string[]): boolean => {
  const text = before.join('\n')
  return (
    before.length === after.length &&
    (namesEvent(text, 'CALL_AI_SUMMARY') || !summaryTexts.some((each) => showsText(text, each)))
  )
}

/** Earlier events of a call that arrive after its summary, the latest first. */
export const lateEvents = callInOrder.slice(0, -1).toReversed()

/** Sends the earlier events of a call after its summary, and returns whether the effects may show only the latest event of each call. */
export const seesLatestEventAlone = async (examination: Examination): Promise<boolean> => {
  const { ids, prepare, deliver, countEffects, listEffects } = examination
  const summary = await prepare('CALL_AI_SUMMARY')
  await deliver(summary)
  await countEffects([summary])
  const before = await listEffects(summary)
  const other = buildDelivery(examination, {}, ids.createSubject())
  for (const { subject } of [summary, other]) {
    for (const name of lateEvents) {
      await deliver(buildDelivery(examination, buildEvent(name, subject), subject))
    }
  }
  await countEffects([summary, other])
  const after = await listEffects(summary)
  return isReset(before, after, await listEffects(other)) && mayShowLatestEvent(before, after)
}

/** Returns the late event after which the effects of a call no longer show the recap of its summary. */
export const findErasing = async (examination: Examination): Promise<EventName | undefined> => {
  const { prepare, deliver, countEffects, listEffects } = examination
  const summary = await prepare('CALL_AI_SUMMARY')
  const showsRecap = async (): Promise<boolean> =>
    showsText((await listEffects(summary)).join('\n'), recap.slice(0, 20))
  await deliver(summary)
  await countEffects([summary])
  if (!(await showsRecap())) return undefined
  for (const name of lateEvents) {
    await deliver(buildDelivery(examination, buildEvent(name, summary.subject), summary.subject))
    await countEffects([summary], 0)
    if (!(await showsRecap())) return name
  }
  return undefined
}
