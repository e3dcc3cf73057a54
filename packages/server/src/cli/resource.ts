import type { Command } from 'commander'
import { defineCancel, define as defineResend } from './change-deliveries.ts'
import { define as defineTail } from './events-tail.ts'
import { defineResource } from './resource-commands.ts'
import { resources } from './resources.ts'
import { defineDelivery, defineTimeline } from './show-commands.ts'

const further: Readonly<Record<string, (command: Command) => void>> = {
  events: defineTail,
  calls: (command) => defineTimeline(command, 'call'),
  groups: (command) => defineTimeline(command, 'group'),
  deliveries: (command) => {
    defineDelivery(command)
    defineResend(command.command('resend').description('resend a delivery, or all that match'))
    defineCancel(command.command('cancel').description('cancel a delivery that waits, or all that match'))
  },
}

export const define = (command: Command): void => {
  defineResource(command, resources[command.name()] ?? [])
  further[command.name()]?.(command)
}
