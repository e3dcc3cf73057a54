import { type OnDemand, prepare } from '../on-demand.ts'
import { createSigners } from '../secret.ts'
import {
  checkAge,
  defaultToleranceSeconds,
  parseSignatureHeaders,
  type SignatureHeaders,
} from '../signature/signature-headers.ts'
import {
  apply,
  assertTolerance,
  matchSignature,
  type SignatureOptions,
} from '../signature/verify-signature.ts'
import { assertOptions } from '../usage.ts'
import type { Verifier } from './verifier.ts'

/** Options for {@link standardWebhooks}. @interface */
export type StandardWebhooksOptions = SignatureOptions & {
  /**
   * The secrets with which the sender may sign, at least one. During a rotation, these are the current and the previous
   * secret. A function is called for the first signed request, and again after a minute.
   */
  readonly secrets: OnDemand<readonly string[]>
}

const toVerified = ({ id, timestamp }: SignatureHeaders) => ({ id, sentAt: new Date(timestamp * 1000) })

/**
 * Accepts deliveries signed with Standard Webhooks 1.0. A request without well-formed signature headers is rejected
 * before its body or the secrets are read.
 *
 * @throws WebhookVerificationError with reason `invalid_secret`. If `secrets` is a function, requests get a 503
 *   instead.
 * @throws WebhookUsageError for an unknown option.
 * @throws RangeError when `toleranceSeconds` is negative or NaN.
 * @example
 * const verify = standardWebhooks({ secrets: () => [process.env.WABAKIT_WEBHOOK_SECRET ?? ''] })
 */
export const standardWebhooks = (options: StandardWebhooksOptions): Verifier => {
  assertOptions('standardWebhooks()', options, ['secrets', 'toleranceSeconds', 'allowShortSecrets', 'now'])
  const { secrets, toleranceSeconds = defaultToleranceSeconds, now = () => Date.now() } = options
  assertTolerance(toleranceSeconds)
  const convert = (values: readonly string[]) => createSigners(values, options.allowShortSecrets)
  const signers = prepare(secrets, { convert, now })

  const verify: Verifier = ({ headers, body, signature = parseSignatureHeaders(headers), now: clock }) => {
    checkAge(signature.timestamp, now(), toleranceSeconds)
    return apply(signers(clock), (each) => apply(matchSignature(signature, body, each), toVerified))
  }
  return Object.assign(verify, { checkHeaders: parseSignatureHeaders })
}
