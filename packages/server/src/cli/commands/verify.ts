import type { Command } from 'commander'
import { examples } from '../examples.ts'
import { collect, formatOption, option, seconds } from '../options.ts'
import { outputOf } from '../output.ts'

/** Adds `wabakit verify`. */
export const addVerify = (program: Command): void => {
  program
    .command('verify')
    .description('verify the signature of a payload, and say what is wrong with it')
    .argument('[file]', 'the payload; standard input when omitted or -')
    .addOption(
      option('--secret <secret>', 'whsec_…; may be given several times')
        .argParser(collect)
        .env('WABAKIT_WEBHOOK_SECRET')
        .makeOptionMandatory(),
    )
    .addOption(
      option('--header <header>', 'a header as "name: value"; may be given several times')
        .argParser(collect)
        .makeOptionMandatory(),
    )
    .addOption(option('--tolerance <seconds>', 'how old it may be (default: 300)').argParser(seconds))
    .addOption(formatOption())
    .addHelpText(
      'after',
      examples(
        'verify --secret whsec_… --header "webhook-id: …" --header "webhook-timestamp: …" --header "webhook-signature: …" payload.json',
      ),
    )
    .action(async (file, options) =>
      (await import('../actions/verify.ts')).verify(file, options, outputOf(options)),
    )
}
