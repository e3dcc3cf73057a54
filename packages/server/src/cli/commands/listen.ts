import type { Command } from 'commander'
import { examples } from '../examples.ts'
import { addServerOptions, option } from '../options.ts'
import { outputOf } from '../output.ts'
import type { ProgramContext } from '../program-context.ts'

/** Adds `wabakit listen`. */
export const addListen = (program: Command, { signal }: ProgramContext): void => {
  addServerOptions(program.command('listen'))
    .description('forward the events of a running server, signed, to a URL of this machine')
    .addOption(option('--forward-to <url>', 'where to forward').makeOptionMandatory())
    .addOption(
      option('--secret <secret>', 'secret to sign with; a random one is made and printed otherwise').env(
        'WABAKIT_WEBHOOK_SECRET',
      ),
    )
    .addHelpText('after', examples('listen --forward-to http://127.0.0.1:3000/webhooks'))
    .action(async (options) =>
      (await import('../actions/listen.ts')).listen(options, outputOf(options), signal),
    )
}
