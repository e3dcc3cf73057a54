import { WebhookVerificationError } from '../errors.ts'

export const defaultToleranceSeconds = 300

/**
 * Compares a signature's time with the clock, in whole seconds. This alone stops no replay within the tolerance: there, a
 * receiver with an inbox or `dedupe` recognizes the key of the event (`identity/identity.ts`).
 *
 * @throws WebhookVerificationError with reason `timestamp_too_old` or `timestamp_too_new`, and the measured skew.
 */
export const checkAge = (timestamp: number, nowMs: number, toleranceSeconds: number): void => {
  const skewSeconds = Math.floor(nowMs / 1000) - timestamp
  if (Math.abs(skewSeconds) <= toleranceSeconds) return
  const old = skewSeconds > 0
  const unit = timestamp > 1e11 ? ' The header takes seconds, not milliseconds.' : ''
  throw new WebhookVerificationError(
    old ? 'timestamp_too_old' : 'timestamp_too_new',
    `The signature is ${Math.abs(skewSeconds)} s ${old ? 'old' : 'ahead'} (tolerance ${toleranceSeconds} s).${unit} Check the clocks of sender and receiver.`,
    { skewSeconds },
  )
}
