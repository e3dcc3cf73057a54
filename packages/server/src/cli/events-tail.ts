import type { Command } from 'commander'
import { follow } from './follow.ts'
import { type AttemptLine, type EventLine, formatAttempt, formatEvent } from './lines.ts'
import { addExamples, addServerOptions, type ServerOptions } from './options.ts'
import { createOutput, type Output } from './output.ts'

const tail = async (options: ServerOptions, output: Output): Promise<void> => {
  const { organization, server } = options
  const onOpen = (): void => output.notice(`Following ${organization} at ${server}. Press Ctrl-C to stop.`)
  for await (const { name, data } of follow(options, output, onOpen)) {
    const value: EventLine & AttemptLine = JSON.parse(data)
    if (name === 'event') output.result({ type: name, ...value }, formatEvent(output, value))
    else if (name === 'attempt') output.result({ type: name, ...value }, formatAttempt(output, value))
  }
}

export const define = (events: Command): void => {
  const command = addServerOptions(events.command('tail'))
    .description('print a line for each event and each delivery attempt as they happen')
    .action((options) => tail(options, createOutput(options)))
  addExamples(command, 'events tail', 'events tail --format json')
}
