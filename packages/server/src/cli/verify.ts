import { diagnose, isWebhookVerificationError, verifySignature } from '@wabakit/webhooks'
import { escapeControls } from '@wabakit/wire'
import type { Command } from 'commander'
import { addExamples, collect, createFormatOption, createOption, parseSeconds } from './options.ts'
import { CliError, createOutput, exitCodes, type Output } from './output.ts'
import { readPayload } from './read-payload.ts'

type VerifyOptions = {
  readonly secret: readonly string[]
  readonly header: readonly string[]
  readonly tolerance?: number | undefined
}

const parseHeaders = (lines: readonly string[]): Headers => {
  const headers = new Headers()
  for (const line of lines) {
    const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) {
      throw new CliError(`--header takes "name: value", not ${JSON.stringify(line)}.`, exitCodes.usage)
    }
    headers.append(name, value)
  }
  return headers
}

const verify = async (
  file: string | undefined,
  { secret: secrets, header, tolerance }: VerifyOptions,
  output: Output,
): Promise<void> => {
  const headers = parseHeaders(header)
  const payload = await readPayload(file)
  const input = { payload, headers, secrets, toleranceSeconds: tolerance }
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
    .addOption(
      createOption('--secret <secret>', 'signing secret, whsec_… (repeatable)')
        .argParser(collect)
        .env('WABAKIT_WEBHOOK_SECRET')
        .makeOptionMandatory(),
    )
    .addOption(
      createOption('--header <header>', 'a received header as "name: value" (repeatable)')
        .argParser(collect)
        .makeOptionMandatory(),
    )
    .addOption(
      createOption('--tolerance <seconds>', 'maximum age of the timestamp (default: 300)').argParser(
        parseSeconds,
      ),
    )
    .addOption(createFormatOption())
    .action((file, options) => verify(file, options, createOutput(options)))
  addExamples(
    command,
    'verify --secret whsec_… --header "webhook-id: …" --header "webhook-timestamp: …" --header "webhook-signature: …" payload.json',
  )
}
