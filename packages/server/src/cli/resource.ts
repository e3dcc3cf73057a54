import type { Command } from 'commander'
import { define as defineTail } from './events-tail.ts'
import { define as defineResend } from './resend.ts'
import { defineResource } from './resource-commands.ts'
import { resources } from './resources.ts'
import { defineDelivery, defineTimeline } from './show-commands.ts'

/** Commands of a resource that are more than one operation. */
const further: Readonly<Record<string, (command: Command) => void>> = {
  events: defineTail,
  calls: (command) => defineTimeline(command, 'call'),
  groups: (command) => defineTimeline(command, 'group'),
  deliveries: (command) => {
    defineDelivery(command)
    defineResend(command.command('resend').description('resend one delivery or a selection of deliveries'))
  },
}

/** Defines the commands of the resource that the command names. */
export const define = (command: Command): void => {
  const resource = resources.find(({ name }) => name === command.name())
  if (resource !== undefined) defineResource(command, resource)
  further[command.name()]?.(command)
}
