import type { Command } from 'commander'
import { examples } from '../examples.ts'
import { formatOption, option, seconds } from '../options.ts'
import { outputOf } from '../output.ts'

/** Adds `wabakit sign`. */
export const addSign = (program: Command): void => {
  program
    .command('sign')
    .description('sign a payload by Standard Webhooks, and print the headers to send with it')
    .argument('[file]', 'the payload; standard input when omitted or -')
    .addOption(option('--secret <secret>', 'whsec_…').env('WABAKIT_WEBHOOK_SECRET').makeOptionMandatory())
    .addOption(option('--id <id>', 'webhook-id (default: a random one)'))
    .addOption(option('--timestamp <seconds>', 'Unix time in seconds (default: now)').argParser(seconds))
    .addOption(formatOption())
    .addHelpText('after', examples('sign --secret whsec_… payload.json'))
    .action(async (file, options) =>
      (await import('../actions/sign.ts')).sign(file, options, outputOf(options)),
    )
}
