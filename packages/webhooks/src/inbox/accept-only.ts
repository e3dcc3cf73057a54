import { WebhookVerificationError } from '../errors.ts'
import type { Verifier } from '../verifiers/verifier.ts'

const refuseRequest = (): never => {
  const message =
    'The receiver has no verify, so it takes events from accept() only. Pass verify to receive webhooks.'
  throw new WebhookVerificationError('invalid_secret', message)
}

/** Refuses every request before its body is read. Not part of the receiver, so that bundles without an inbox omit it. */
export const acceptOnly: Verifier = /* @__PURE__ */ Object.assign(refuseRequest, {
  checkHeaders: refuseRequest,
})
