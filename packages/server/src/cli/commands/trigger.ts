import type { Command } from 'commander'
import { examples } from '../examples.ts'
import { addServerOptions, collect, option } from '../options.ts'
import { outputOf } from '../output.ts'

/** Adds `wabakit trigger`. */
export const addTrigger = (program: Command): void => {
  addServerOptions(program.command('trigger'))
    .description('play a whole call, or send one event')
    .argument('<what>', 'call, or the name of an event')
    .addOption(
      option('--set <path=value>', 'override a field; may be given several times').argParser(collect),
    )
    .addHelpText(
      'after',
      examples(
        'trigger call',
        'trigger call --set channel=WHATSAPP --set direction=OUTGOING --set durationInSeconds=42',
        'trigger call --set outcome=missed',
        'trigger GROUP_PARTICIPANT_JOINED --set groupId=order-1042',
      ),
    )
    .action(async (what, options) =>
      (await import('../actions/trigger.ts')).trigger(what, options, outputOf(options)),
    )
}
