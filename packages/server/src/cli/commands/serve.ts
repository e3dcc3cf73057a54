import type { Command } from 'commander'
import { CliError, exitCodes } from '../cli-error.ts'
import { examples } from '../examples.ts'
import { outputOf } from '../output.ts'
import { addSettings } from '../setting-options.ts'

/** Adds `wabakit serve`. */
export const addServe = (program: Command): void => {
  addSettings(program.command('serve', { isDefault: true }))
    // What is no command is taken for an argument of the default one.
    .allowExcessArguments()
    .description('run a server until SIGTERM or SIGINT (the default command)')
    .addHelpText(
      'after',
      examples(
        '',
        'serve --port 0 --database :memory:',
        'serve --webhook-url http://127.0.0.1:3000/webhooks',
      ),
    )
    .action(async ({ format, ...flags }, { args: [unknown] }) => {
      if (unknown !== undefined) {
        throw new CliError(`There is no command ${unknown}. See wabakit --help.`, exitCodes.usage)
      }
      await (await import('../actions/serve.ts')).serve(flags, outputOf({ format }))
    })
}
