import {
  createReceiver,
  isWebhookParseError,
  isWebhookRequestError,
  isWebhookVerificationError,
  type ReceiverOptions,
  WebhookVerificationError,
} from '@wabakit/webhooks'
import { describe, expect, it, vi } from 'vitest'
import { joined, signedRequest } from './signed.ts'

const getStatus = async (verify: ReceiverOptions['verify']): Promise<number> => {
  const receiver = createReceiver({ verify }).onError(() => {})
  return (await receiver.handle(await signedRequest(joined))).status
}

describe('errors from another copy of this package', () => {
  it('are recognized, and get the same responses', async () => {
    vi.resetModules()
    const copy = await import('@wabakit/webhooks')
    expect(copy.WebhookVerificationError).not.toBe(WebhookVerificationError)
    const errors = [
      [new copy.WebhookVerificationError('missing_header', ''), isWebhookVerificationError, 401],
      [new copy.WebhookParseError('not_json', ''), isWebhookParseError, 400],
      [new copy.WebhookRequestError('body_too_large', ''), isWebhookRequestError, 413],
    ] as const
    for (const [error, guard, status] of errors) {
      expect(guard(error)).toBe(true)
      const verify = () => Promise.reject(error)
      expect(await getStatus(verify)).toBe(status)
    }
  })
})
