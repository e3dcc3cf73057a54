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
import { CliError, createOutput, exitCodes, type Output } from './output.ts'
import { readPayload } from './read-payload.ts'

type VerifyOptions = {
  readonly secret: readonly string[]
  readonly header: [string, string][]
  readonly tolerance?: number | undefined
}

const verify = async (
  file: string | undefined,
  { secret: secrets, header, tolerance }: VerifyOptions,
  output: Output,
): Promise<void> => {
  const payload = await readPayload(file)
  const input = { payload, headers: new Headers(header), secrets, toleranceSeconds: tolerance }
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
    throw new CliError([error.message, diagnosis?.message].filter(Boolean).join('\n'), exitCodes.failed, {
      cause: error,
    })
  }
}

export const define = (command: Command): void => {
  command
    .argument('[file]', 'file with the payload; standard input if omitted or -')
    .action((file, options) => verify(file, options, createOutput(options)))
  addOptions(command, {
    '--secret <secret>': { about: 'signing secret, whsec_… (repeatable)', parse: collect, isRequired: true },
    '--header <header>': {
      about: 'a received header as "name: value" (repeatable)',
      parse: collectHeader,
      isRequired: true,
    },
    '--tolerance <seconds>': {
      about: 'maximum age of the timestamp (default: 300)',
      parse: parseSeconds,
    },
  }).addOption(createFormatOption())
  addExamples(
    command,
    'verify --secret whsec_… --header "webhook-id: …" --header "webhook-timestamp: …" --header "webhook-signature: …" payload.json',
  )
}
