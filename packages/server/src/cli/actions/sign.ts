import { isWebhookVerificationError, signWebhook } from '@wabakit/webhooks'
import { CliError, exitCodes } from '../cli-error.ts'
import type { Output } from '../output.ts'
import { readPayload } from '../read-payload.ts'

/** Options of {@link sign}. */
export type SignOptions = {
  readonly secret: string
  readonly id?: string | undefined
  readonly timestamp?: number | undefined
}

/** Signs a payload and prints the headers to send with it. */
export const sign = async (
  file: string | undefined,
  { secret, id, timestamp }: SignOptions,
  output: Output,
): Promise<void> => {
  const payload = await readPayload(file)
  try {
    const { headers } = await signWebhook({
      payload,
      secret,
      ...(id !== undefined && { id }),
      ...(timestamp !== undefined && { timestamp }),
    })
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    output.result(headers, lines.join('\n'))
  } catch (error) {
    if (isWebhookVerificationError(error) || error instanceof RangeError) {
      throw new CliError(error.message, exitCodes.usage, { cause: error })
    }
    throw error
  }
}
