import type { Command } from 'commander'
import type { z } from 'zod/mini'
import type { AttemptView, DeliveryView } from '../control/views/delivery.ts'
import type { TimelineView } from '../control/views/timeline.ts'
import { createControlClient, getOrganizationPath } from './control-client.ts'
import { addExamples, addServerOptions, type ServerOptions } from './options.ts'
import { createOutput } from './output.ts'
import { formatDelivery, formatTimeline } from './timeline-text.ts'

const showTimeline = async (kind: 'call' | 'group', id: string, options: ServerOptions): Promise<void> => {
  const output = createOutput(options)
  const path = `${getOrganizationPath(options.organization)}/timeline?${kind}=${encodeURIComponent(id)}`
  const timeline = (await createControlClient(options).send('GET', path)) as TimelineView
  output.result(timeline, formatTimeline(output, timeline))
}

const showDelivery = async (id: string, options: ServerOptions): Promise<void> => {
  const output = createOutput(options)
  const control = createControlClient(options)
  const path = `${getOrganizationPath(options.organization)}/deliveries/${encodeURIComponent(id)}`
  const delivery = (await control.send('GET', path)) as z.input<typeof DeliveryView>
  const { items } = (await control.send('GET', `${path}/attempts`)) as {
    items: z.input<typeof AttemptView>[]
  }
  output.result({ ...delivery, attemptList: items }, formatDelivery(output, delivery, items))
}

/** Defines `calls show` or `groups show`: everything that happened, in order. */
export const defineTimeline = (parent: Command, kind: 'call' | 'group'): void => {
  const command = addServerOptions(parent.command('show'))
    .description(`print everything that happened to a ${kind}, in order`)
    .argument('<id>', `id of the ${kind}`)
    .action((id, options) => showTimeline(kind, id, options))
  addExamples(command, kind === 'call' ? 'calls show call_…' : 'groups show order-1042')
}

export const defineDelivery = (parent: Command): void => {
  const command = addServerOptions(parent.command('show'))
    .description('print the attempts of a delivery, the responses, and what it waits for')
    .argument('<id>', 'id of the delivery')
    .action(showDelivery)
  addExamples(command, 'deliveries show dlv_…')
}
