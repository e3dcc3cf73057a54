import type { Command } from 'commander'
import { examples } from '../examples.ts'
import { addServerOptions } from '../options.ts'
import { outputOf } from '../output.ts'
import type { ProgramContext } from '../program-context.ts'

/** Adds `wabakit events tail`. */
export const addEvents = (program: Command, { signal }: ProgramContext): void => {
  const events = program.command('events').description('look at events')
  addServerOptions(events.command('tail'))
    .description('print a line for each event and each attempt to deliver one, as they happen')
    .addHelpText('after', examples('events tail', 'events tail --format json'))
    .action(async (options) =>
      (await import('../actions/events-tail.ts')).tailEvents(options, outputOf(options), signal),
    )
}
