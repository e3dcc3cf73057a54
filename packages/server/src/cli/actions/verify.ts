import { escapeControls } from '@wabakit/contract/escape-controls'
import { diagnose, isWebhookVerificationError, verifySignature } from '@wabakit/webhooks'
import { CliError, exitCodes } from '../cli-error.ts'
import type { Output } from '../output.ts'
import { readPayload } from '../read-payload.ts'

/** Options of {@link verify}. */
export type VerifyOptions = {
  readonly secret: readonly string[]
  readonly header: readonly string[]
  readonly tolerance?: number | undefined
}

const headersOf = (lines: readonly string[]): Headers => {
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

/**
 * Verifies the signature of a payload and prints what it vouches for.
 *
 * @throws CliError with the likely cause when it is not accepted.
 */
export const verify = async (
  file: string | undefined,
  options: VerifyOptions,
  output: Output,
): Promise<void> => {
  const { secret: secrets, header, tolerance } = options
  const headers = headersOf(header)
  const payload = await readPayload(file)
  const question = {
    payload,
    headers,
    secrets,
    ...(tolerance !== undefined && { toleranceSeconds: tolerance }),
  }
  try {
    const { id, timestamp } = await verifySignature(question)
    output.result({ valid: true, id, timestamp }, `${output.style('green', 'valid')} ${escapeControls(id)}`)
  } catch (error) {
    if (!isWebhookVerificationError(error)) throw error
    if (error.reason === 'invalid_secret')
      throw new CliError(error.message, exitCodes.usage, { cause: error })
    const diagnosis = await diagnose(question)
    output.result(
      { valid: false, reason: error.reason, cause: diagnosis?.cause ?? null },
      `${output.style('red', 'not valid')} ${error.reason}`,
    )
    throw new CliError([error.message, diagnosis?.message].filter(Boolean).join('\n'), exitCodes.failed, {
      cause: error,
    })
  }
}
