import { type EventName, eventNames, isEventName } from '@wabakit/contract'
import { eventExamples } from '@wabakit/contract/documents'
import { toCallSubject, toGroupSubject } from '@wabakit/core/simulation'
import { escapeControls } from '@wabakit/wire'
import type { Command, Help } from 'commander'
import type { Call, Organization } from '../control-types.ts'
import { assign } from './assign.ts'
import { createOrganizationClient } from './control-client.ts'
import { findOperation, listFields } from './operation-options.ts'
import { addExamples, addServerOptions, collect, createOption, type ServerOptions } from './options.ts'
import { CliError, createOutput, exitCodes } from './output.ts'

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Builds the body of `publishEvent` from the event's example and the overrides. */
const buildEvent = (name: EventName, overrides: readonly string[], own: Organization) => {
  const isOverridden = (field: string): boolean => overrides.some((each) => each.startsWith(`${field}=`))
  const payload = assign(eventExamples[name], overrides)
  const channel = name.startsWith('CALL_') && payload.channel === 'PSTN' ? 'PSTN' : 'WHATSAPP'
  const ownNumber = channel === 'PSTN' ? own.pstnNumbers[0] : own.integrations[0]?.wabaNumber
  // The number in the example need not belong to this organization.
  for (const field of ['from', 'channelNumber', 'wabaNumber']) {
    if (ownNumber !== undefined && field in payload && !isOverridden(field)) payload[field] = ownNumber
  }
  const number = toText(payload.channelNumber) || toText(payload.wabaNumber) || ownNumber || ''
  const subject =
    'callId' in payload ? toCallSubject(toText(payload.callId)) : toGroupSubject(toText(payload.groupId))
  return { name, subject, channel, number, payload }
}

type TriggerOptions = ServerOptions & { readonly set?: readonly string[]; readonly customerNumber?: string }

const trigger = async (
  what: string,
  { set = [], customerNumber, ...options }: TriggerOptions,
): Promise<void> => {
  if (what !== 'call' && !isEventName(what)) {
    const message = `Unknown event: ${what}. Trigger call, or one of: ${eventNames.join(', ')}.`
    throw new CliError(message, exitCodes.usage)
  }
  if (what !== 'call' && customerNumber !== undefined) {
    const message =
      '--customer-number is for call. For an event, set its field, such as --set customerNumber=+15550199001.'
    throw new CliError(message, exitCodes.usage)
  }
  const output = createOutput(options)
  const control = createOrganizationClient(options)
  if (what === 'call') {
    const call = (await control.send('POST', '/simulated-calls', assign({ customerNumber }, set))) as Call
    const { callId, direction, channel, state } = call
    return output.result(call, escapeControls(`call ${callId} ${direction} ${channel} ${state}`))
  }
  const own = (await control.send('GET', '')) as Organization
  const event = (await control.send('POST', '/events', buildEvent(what, set, own))) as { id: string }
  output.result(event, escapeControls(`${what} ${event.id}`))
}

const eventFields = Object.fromEntries(
  eventNames.map((name) => [name, Object.keys(eventExamples[name]).filter((field) => field !== 'event')]),
)

/** Lists the fields that `--set` can set, for a call and for each event. */
const formatFields = (help: Help): string => {
  const fields = { call: listFields(findOperation('simulateCall')), ...eventFields }
  const lines = Object.entries(fields).map(([what, names]) =>
    help.boxWrap(`${what}: ${names.join(', ')}`, 76).replaceAll('\n', '\n    '),
  )
  return `\nFields:\n  ${lines.join('\n  ')}`
}

export const define = (command: Command): void => {
  addServerOptions(command)
    .argument('<what>', 'call, or the name of an event')
    .addOption(createOption('--set <path=value>', 'set a field (repeatable)').argParser(collect))
    .option('--customer-number <number>', "the customer's number (call)")
    .addHelpText(
      'after',
      '\nA value that is valid JSON is parsed; quote a number to pass it as text.\nAn event has an example as its payload, in which --set sets fields. It changes\nnothing else on the server, and is refused if a subscription that gets it has no\nloopback address, unless the server has --sandbox.',
    )
    .action(trigger)
  command.addHelpText('after', formatFields(command.createHelp()))
  addExamples(
    command,
    'trigger call --customer-number +15550199001',
    'trigger call --set channel=WHATSAPP --set direction=OUTGOING --set durationInSeconds=42',
    'trigger call --set outcome=missed',
    'trigger GROUP_PARTICIPANT_JOINED --set groupId=order-1042',
  )
}
