import {
  isWebhookVerificationError,
  type SignedWebhook,
  type SignWebhookOptions,
  signWebhook,
} from '@wabakit/webhooks'
import type { Command } from 'commander'
import { addExamples, addOptions, createFormatOption, parseSeconds } from './options.ts'
import { CliError, createOutput, exitCodes, type Format } from './output.ts'
import { readPayload } from './read-payload.ts'

type SignOptions = Omit<SignWebhookOptions, 'payload'> & { readonly format: Format }

/** Signs a payload. Rejects with a CliError if the secret or another option is not valid. */
export const signPayload = async (options: SignWebhookOptions): Promise<SignedWebhook> => {
  try {
    return await signWebhook(options)
  } catch (error) {
    if (!isWebhookVerificationError(error) && !(error instanceof RangeError)) throw error
    throw new CliError(error.message, exitCodes.usage, { cause: error })
  }
}

const sign = async (file: string | undefined, { format, ...options }: SignOptions): Promise<void> => {
  const payload = await readPayload(file)
  const { headers } = await signPayload({ payload, ...options })
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  createOutput({ format }).result(headers, lines.join('\n'))
}

export const define = (command: Command): void => {
  command
    .description('sign a payload according to Standard Webhooks, and print the headers to send with it')
    .argument('[file]', 'file with the payload; standard input if omitted or -')
    .action(sign)
  addOptions(command, {
    '--secret <secret>': { about: 'signing secret (whsec_…)', isRequired: true },
    '--id <id>': 'webhook-id (default: a random one)',
    '--timestamp <seconds>': { about: 'Unix time in seconds (default: now)', parse: parseSeconds },
  }).addOption(createFormatOption())
  addExamples(command, 'sign --secret whsec_… payload.json')
}
