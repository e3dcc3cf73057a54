import { CallDirection, CallType, Channel, TriggeredVia } from '@wabakit/contract'
import { eventExamples } from '@wabakit/contract/documents'
import type { Examination } from '../examination.ts'
import type { Attempt } from '../judge.ts'
import type { Delivery } from '../payloads.ts'
import { isAccepted } from '../send.ts'

type Field = 'channel' | 'callDirection' | 'callType' | 'triggeredVia'

const knownValues: Readonly<Record<Field, readonly string[]>> = {
  channel: Channel.options,
  callDirection: CallDirection.options,
  callType: CallType.options,
  triggeredVia: TriggeredVia.options,
}

const fields = Object.keys(knownValues) as Field[]

const usual: Readonly<Record<Field, string>> = eventExamples.CALL_AI_SUMMARY

/** The changes of the summaries that show how the effects write known values: none, and one of each field. */
const knownChanges: readonly Partial<Record<Field, string>>[] = [
  {},
  ...fields.map((field) => ({ [field]: knownValues[field].find((value) => value !== usual[field]) })),
]

/** Number of requests that `findMistaken` sends. */
export const mistakenRequests = knownChanges.length

const showsWord = (effects: string, word: string): boolean =>
  effects
    .toLowerCase()
    .split(/[^a-z0-9_]+/)
    .includes(word.toLowerCase())

const showsValue = (effects: string, value: string): boolean =>
  effects.toLowerCase().includes(value.toLowerCase())

/**
 * Finds new values that the effects show as a known one, where they show two known values as they were sent. An application that derives
 * what it shows from another field does not show the second known value, so nothing is concluded.
 */
export const findMistaken = async (
  { knowledge, build, deliver, areHandled, listEffects }: Examination,
  attempts: readonly Attempt[],
): Promise<string | undefined> => {
  // The earlier events of a call state known values, which an application may keep.
  if (knowledge.needsPredecessors) return undefined
  const known = knownChanges.map((change) => build('CALL_AI_SUMMARY', change))
  const accepted: Delivery[] = []
  for (const delivery of known) if (isAccepted(await deliver(delivery))) accepted.push(delivery)
  await areHandled(accepted)
  const show = async (delivery: Delivery): Promise<string> => (await listEffects(delivery)).join('\n')
  const knownEffects: string[] = []
  for (const delivery of known) knownEffects.push(await show(delivery))
  const [usualEffects = '', ...changedEffects] = knownEffects
  const mistaken: string[] = []
  for (const { delivery } of attempts) {
    if (delivery === undefined) continue
    const event: Readonly<Record<Field, string>> = JSON.parse(delivery.body.toString())
    const at = fields.findIndex((field) => !knownValues[field].includes(event[field]))
    const field = fields[at]
    const [first, second] = [usualEffects, changedEffects[at] ?? '']
    const other = field && knownChanges[at + 1]?.[field]
    if (field === undefined || other === undefined) continue
    const isShown =
      showsWord(first, usual[field]) &&
      !showsWord(first, other) &&
      showsWord(second, other) &&
      !showsWord(second, usual[field])
    const effects = await show(delivery)
    if (!isShown || showsValue(effects, event[field])) continue
    const shown = knownValues[field].find(
      (value) => showsWord(effects, value) && !(showsWord(first, value) && showsWord(second, value)),
    )
    if (shown !== undefined) mistaken.push(`${field} ${event[field]} became ${shown}`)
  }
  return mistaken.length === 0 ? undefined : mistaken.join(', ')
}
