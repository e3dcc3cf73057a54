import { WebhookVerificationError } from '../errors.ts'
import type { Verifier } from '../verifiers/verifier.ts'

const refuseRequest = (): never => {
  const message =
    'The receiver has no verify, so it takes events from accept() only. Pass verify to receive webhooks.'
  throw new WebhookVerificationError('invalid_secret', message)
}

/** Refuses every request before its body is read. Only inboxes import it, so other bundles do not contain it. */
export const acceptOnly: Verifier = /* @__PURE__ */ Object.assign(refuseRequest, {
  checkHeaders: refuseRequest,
})
