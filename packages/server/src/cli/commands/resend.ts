import type { Command } from 'commander'
import { examples } from '../examples.ts'
import { addServerOptions, collectOf, moment, option } from '../options.ts'
import { outputOf } from '../output.ts'

/** Those in which a delivery can be sent again. */
const statuses = ['pending', 'delivered', 'exhausted', 'skipped']

/** Adds `wabakit resend`. */
export const addResend = (program: Command): void => {
  addServerOptions(program.command('resend'))
    .description('send a delivery again, or all of a range')
    .argument('[delivery]', 'id of the delivery')
    .addOption(option('--from <time>', 'from this time of the event on (ISO 8601)').argParser(moment))
    .addOption(option('--before <time>', 'before this time of the event (ISO 8601)').argParser(moment))
    .addOption(option('--event <id>', 'deliveries of this event'))
    .addOption(option('--subscription <id>', 'deliveries to this subscription'))
    .addOption(
      option('--status <status>', `${statuses.join(', ')}; may be given several times`).argParser(
        collectOf(statuses),
      ),
    )
    .addOption(
      option(
        '--new-webhook-id',
        'send under a new id, so that receivers handle again what they have handled',
      ),
    )
    .addHelpText('after', examples('resend dlv_…', 'resend --status exhausted --from 2026-01-01T00:00:00Z'))
    .action(async (id, options) =>
      (await import('../actions/resend.ts')).resend(id, options, outputOf(options)),
    )
}
