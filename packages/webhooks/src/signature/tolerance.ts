import { WebhookVerificationError } from '../errors/webhook-verification-error.ts'

/** Seconds that a signature may be old or lie in the future when nothing else is said. */
export const defaultToleranceSeconds = 300

/** @throws RangeError when `seconds` cannot be a tolerance: NaN would accept every timestamp. */
export const assertTolerance = (seconds: number): void => {
  if (!(seconds >= 0)) throw new RangeError(`toleranceSeconds must be 0 or more, not ${seconds}`)
}

const milliseconds = (timestamp: number) =>
  timestamp > 100_000_000_000 ? ' It looks like milliseconds; the header takes seconds.' : ''

/**
 * Compares a signature's time with the clock, in whole seconds, bounds included.
 *
 * @throws WebhookVerificationError with reason `timestamp_too_old` or `timestamp_too_new`, and the measured skew.
 */
export const checkTimestamp = (timestamp: number, nowMs: number, toleranceSeconds: number): void => {
  const skewSeconds = Math.floor(nowMs / 1000) - timestamp
  if (Math.abs(skewSeconds) <= toleranceSeconds) return
  const old = skewSeconds > 0
  throw new WebhookVerificationError(
    old ? 'timestamp_too_old' : 'timestamp_too_new',
    `The signature is ${Math.abs(skewSeconds)} s ${old ? 'old' : 'ahead'} (tolerance ${toleranceSeconds} s).${milliseconds(timestamp)} Check the clock of this machine and of the sender; an old one may also be a replay.`,
    { skewSeconds },
  )
}
