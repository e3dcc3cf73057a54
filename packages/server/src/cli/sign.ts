import { isWebhookVerificationError, signWebhook } from '@wabakit/webhooks'
import type { Command } from 'commander'
import { addExamples, addOptions, createFormatOption, parseSeconds } from './options.ts'
import { CliError, createOutput, exitCodes, type Output } from './output.ts'
import { readPayload } from './read-payload.ts'

type SignOptions = {
  readonly secret: string
  readonly id?: string | undefined
  readonly timestamp?: number | undefined
}

const sign = async (
  file: string | undefined,
  { secret, id, timestamp }: SignOptions,
  output: Output,
): Promise<void> => {
  const payload = await readPayload(file)
  try {
    const { headers } = await signWebhook({ payload, secret, id, timestamp })
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    output.result(headers, lines.join('\n'))
  } catch (error) {
    if (isWebhookVerificationError(error) || error instanceof RangeError) {
      throw new CliError(error.message, exitCodes.usage, { cause: error })
    }
    throw error
  }
}

export const define = (command: Command): void => {
  command
    .description('sign a payload according to Standard Webhooks, and print the headers to send with it')
    .argument('[file]', 'file with the payload; standard input if omitted or -')
    .action((file, options) => sign(file, options, createOutput(options)))
  addOptions(command, {
    '--secret <secret>': { about: 'signing secret (whsec_…)', isRequired: true },
    '--id <id>': 'webhook-id (default: a random one)',
    '--timestamp <seconds>': { about: 'Unix time in seconds (default: now)', parse: parseSeconds },
  }).addOption(createFormatOption())
  addExamples(command, 'sign --secret whsec_… payload.json')
}
