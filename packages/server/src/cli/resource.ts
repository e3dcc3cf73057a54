import { escapeControls } from '@wabakit/wire'
import type { Command } from 'commander'
import type { Arrival, Attempt, Customer, Delivery, Timeline } from '../control-types.ts'
import { defineCancel, define as defineResend, defineRetry } from './change-deliveries.ts'
import { createOrganizationClient } from './control-client.ts'
import { follow } from './follow.ts'
import { type AttemptLine, type EventLine, formatAttempt, formatEvent } from './lines.ts'
import { addExamples, addServerOptions, type ServerOptions } from './options.ts'
import { createOutput } from './output.ts'
import { defineResource } from './resource-commands.ts'
import { resources } from './resources.ts'
import { formatList } from './table.ts'
import { formatArrivals, formatDelivery, formatTimeline } from './timeline-text.ts'

const tail = async (options: ServerOptions): Promise<void> => {
  const { organization, server } = options
  const output = createOutput(options)
  const onOpen = (): void => output.notice(`Following ${organization} at ${server}. Press Ctrl-C to stop.`)
  for await (const { name, data } of follow(options, output, onOpen)) {
    const value: EventLine & AttemptLine = JSON.parse(data)
    if (name === 'event') output.result({ type: name, ...value }, formatEvent(output, value))
    else if (name === 'attempt') output.result({ type: name, ...value }, formatAttempt(output, value))
  }
}

const showTimeline = async (kind: 'call' | 'group', id: string, options: ServerOptions): Promise<void> => {
  const output = createOutput(options)
  const path = `/timeline?${kind}=${encodeURIComponent(id)}`
  const timeline = (await createOrganizationClient(options).send('GET', path)) as Timeline
  output.result(timeline, formatTimeline(output, timeline))
}

const showDelivery = async (id: string, options: ServerOptions): Promise<void> => {
  const output = createOutput(options)
  const control = createOrganizationClient(options)
  const path = `/deliveries/${encodeURIComponent(id)}`
  const delivery = (await control.send('GET', path)) as Delivery
  const { items } = (await control.send('GET', `${path}/attempts`)) as { items: Attempt[] }
  output.result({ ...delivery, attemptList: items }, formatDelivery(output, delivery, items))
}

const showCustomer = async (number: string, options: ServerOptions): Promise<void> => {
  const path = `/customers/${encodeURIComponent(number)}`
  const customer = (await createOrganizationClient(options).send('GET', path)) as Customer
  const { calls, hasMoreCalls, memberships, deliveries } = customer
  const output = createOutput(options)
  const formatArrived = (id: string, endpoints: readonly Arrival[]): string[] =>
    endpoints.length === 0
      ? []
      : ['', escapeControls(id), ...formatArrivals(output, endpoints).map((line) => `  ${line}`)]
  const parts = [
    `Calls${hasMoreCalls ? ` (newest ${calls.length})` : ''}`,
    formatList(output, calls, ['state', 'callId', 'initiatedAt', 'direction', 'channel']),
    ...calls.flatMap(({ callId, endpoints }) => formatArrived(callId, endpoints)),
    '\nGroups',
    formatList(output, memberships, ['state', 'groupId', 'changedAt']),
    ...memberships.flatMap(({ groupId, endpoints }) => formatArrived(groupId, endpoints)),
    '\nDeliveries',
    formatList(output, deliveries, ['status', 'id', 'eventName', 'attempts', 'createdAt', 'subject']),
  ]
  output.result(customer, parts.join('\n'))
}

const defineTimeline = (kind: 'call' | 'group', example: string) => (parent: Command) => {
  addExamples(addServerOptions(parent.command('show')), example)
    .description(`print everything that happened to a ${kind}, in order`)
    .argument('<id>', `id of the ${kind}`)
    .action((id, options) => showTimeline(kind, id, options))
}

/** The commands that do more than run one operation and print its result, keyed by resource. See `resources.ts` for the others. */
const further: Readonly<Record<string, (command: Command) => void>> = {
  events: (parent) =>
    addExamples(addServerOptions(parent.command('tail')), 'events tail', 'events tail --format json')
      .description('print a line for each event and each delivery attempt as they happen')
      .action(tail),
  calls: defineTimeline('call', 'calls show call_…'),
  groups: defineTimeline('group', 'groups show order-1042'),
  customers: (parent) => {
    addExamples(parent, 'customers show +15550199001')
    addExamples(addServerOptions(parent.command('show')), 'customers show +15550199001')
      .description('print the calls, groups and deliveries of a customer')
      .argument('<number>', "the customer's number")
      .action(showCustomer)
  },
  deliveries: (parent) => {
    addExamples(addServerOptions(parent.command('show')), 'deliveries show dlv_…')
      .description('print the attempts of a delivery, the responses, and what it waits for')
      .argument('<id>', 'id of the delivery')
      .action(showDelivery)
    defineResend(parent.command('resend').description('resend a delivery, or all that match'))
    defineRetry(parent.command('retry').description('retry a pending delivery now, or all that match'))
    defineCancel(parent.command('cancel').description('cancel a delivery that waits, or all that match'))
  },
}

export const define = (command: Command): void => {
  const commands = resources[command.name()]
  if (commands !== undefined) defineResource(command, commands)
  further[command.name()]?.(command)
}
