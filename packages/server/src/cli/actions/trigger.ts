import { type EventName, eventNames, isEventName } from '@wabakit/contract'
import { eventExamples } from '@wabakit/contract/documents'
import { escapeControls } from '@wabakit/contract/escape-controls'
import { toCallSubject, toGroupSubject } from '@wabakit/core/simulation'
import { assign } from '../assign.ts'
import { CliError, exitCodes } from '../cli-error.ts'
import { createControlClient } from '../control-client.ts'
import type { ServerOptions } from '../options.ts'
import type { Output } from '../output.ts'

type Call = { callId: string; direction: string; channel: string; state: string }
type Organization = { integrations: { wabaNumber: string }[]; pstnNumbers: string[] }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** An event as `publishEvent` of the control API takes it, made of its example and the overrides. */
const eventOf = (
  name: EventName,
  overrides: readonly string[],
  { integrations, pstnNumbers }: Organization,
) => {
  const isOverridden = (field: string): boolean => overrides.some((each) => each.startsWith(`${field}=`))
  const payload = assign({ ...eventExamples[name] }, overrides)
  const channel = name.startsWith('CALL_') && payload.channel === 'PSTN' ? 'PSTN' : 'WHATSAPP'
  const own = channel === 'PSTN' ? pstnNumbers[0] : integrations[0]?.wabaNumber
  // The example's own number is nobody's here.
  for (const field of ['from', 'channelNumber', 'wabaNumber']) {
    if (own !== undefined && field in payload && !isOverridden(field)) payload[field] = own
  }
  const number = textOf(payload.channelNumber) || textOf(payload.wabaNumber) || own || ''
  const subject =
    'callId' in payload ? toCallSubject(textOf(payload.callId)) : toGroupSubject(textOf(payload.groupId))
  return { name, subject, channel, number, payload }
}

/** Makes a running server play a whole call, or send one event. */
export const trigger = async (
  what: string,
  { set = [], organization, ...address }: ServerOptions & { set?: readonly string[] },
  output: Output,
): Promise<void> => {
  if (what !== 'call' && !isEventName(what)) {
    throw new CliError(
      `There is no event ${what}. Trigger call, or one of: ${eventNames.join(', ')}.`,
      exitCodes.usage,
    )
  }
  const control = createControlClient(address)
  const path = `/organizations/${encodeURIComponent(organization)}`
  if (what === 'call') {
    const call = (await control.send('POST', `${path}/simulated-calls`, assign({}, set))) as Call
    const { callId, direction, channel, state } = call
    output.result(call, escapeControls(`call ${callId} ${direction} ${channel} ${state}`))
    return
  }
  const own = (await control.send('GET', path)) as Organization
  const event = (await control.send('POST', `${path}/events`, eventOf(what, set, own))) as { id: string }
  output.result(event, escapeControls(`${what} ${event.id}`))
}
