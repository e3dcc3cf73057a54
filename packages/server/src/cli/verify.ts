import { diagnose, isWebhookVerificationError, verifySignature } from '@wabakit/webhooks'
import { escapeControls } from '@wabakit/wire'
import type { Command } from 'commander'
import {
  addExamples,
  addOptions,
  collect,
  collectHeader,
  createFormatOption,
  parseSeconds,
} from './options.ts'
import { CliError, createOutput, exitCodes, type Format } from './output.ts'
import { readPayload } from './read-payload.ts'

type VerifyOptions = {
  readonly secret: readonly string[]
  readonly header: [string, string][]
  readonly tolerance?: number
  readonly format: Format
}

const verify = async (file: string | undefined, options: VerifyOptions): Promise<void> => {
  const output = createOutput(options)
  const { secret: secrets, header, tolerance: toleranceSeconds } = options
  const payload = await readPayload(file)
  const input = { payload, headers: new Headers(header), secrets, toleranceSeconds }
  try {
    const { id, timestamp } = await verifySignature(input)
    output.result({ valid: true, id, timestamp }, `${output.style('green', 'valid')} ${escapeControls(id)}`)
  } catch (error) {
    if (!isWebhookVerificationError(error)) throw error
    if (error.reason === 'invalid_secret')
      throw new CliError(error.message, exitCodes.usage, { cause: error })
    const diagnosis = await diagnose(input)
    output.result(
      { valid: false, reason: error.reason, cause: diagnosis?.cause ?? null },
      `${output.style('red', 'not valid')} ${error.reason}`,
    )
    const lines = [error.message, diagnosis?.message].filter(Boolean)
    throw new CliError(lines.join('\n'), exitCodes.failed, { cause: error })
  }
}

export const define = (command: Command): void => {
  command.argument('[file]', 'file with the payload; standard input if omitted or -').action(verify)
  addOptions(command, {
    '--secret <secret>': { about: 'signing secret, whsec_… (repeatable)', parse: collect, isRequired: true },
    '--header <header>': {
      about: 'a received header as "name: value" (repeatable)',
      parse: collectHeader,
      isRequired: true,
    },
    '--tolerance <seconds>': { about: 'maximum age of the timestamp (default: 300)', parse: parseSeconds },
  }).addOption(createFormatOption())
  addExamples(
    command,
    'verify --secret whsec_… --header "webhook-id: …" --header "webhook-timestamp: …" --header "webhook-signature: …" payload.json',
  )
}
