import { eventExamples } from '@wabakit/contract/documents'
import events from '@wabakit/contract/vectors/events.json' with { type: 'json' }
import signatures from '@wabakit/contract/vectors/signatures.json' with { type: 'json' }
import {
  isWebhookParseError,
  isWebhookVerificationError,
  type ParsedEvent,
  parseEvent,
  verifySignature,
} from '@wabakit/webhooks'
import { Webhook } from 'standardwebhooks'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const { toleranceSeconds, vectors } = signatures

describe('test vectors for signatures', () => {
  test.each(vectors)('our verifier reaches the expected verdict on "$name"', async (vector) => {
    const { secrets, now, headers, body, accepted, reason } = vector
    const verified = verifySignature({
      payload: body,
      headers,
      secrets,
      toleranceSeconds,
      now: () => now * 1_000,
    })
    const found = await verified.then(
      () => null,
      (error: unknown) => (isWebhookVerificationError(error) ? error.reason : error),
    )
    expect(found).toBe(reason)
    expect(accepted).toBe(reason === null)
  })

  test.each(vectors.filter(({ accepted, body }) => accepted && body !== ''))(
    'the reference library of Standard Webhooks accepts "$name"',
    ({ secrets, now, headers, body }) => {
      onTestFinished(() => void vi.useRealTimers())
      vi.setSystemTime(now * 1_000)
      const verify = (secret: string) => () => new Webhook(secret).verify(body, { ...headers })
      expect(secrets.some((secret) => !throws(verify(secret)))).toBe(true)
    },
  )
})

const throws = (work: () => unknown): boolean => {
  try {
    work()
    return false
  } catch {
    return true
  }
}

const describeParsed = (parsed: ParsedEvent): object => {
  const { kind } = parsed
  if (kind === 'event') return { result: kind, event: parsed.event.event }
  if (kind === 'unknown') return { result: kind, event: parsed.name ?? null }
  return { result: kind, event: parsed.name, fields: parsed.issues.map(({ path }) => path) }
}

const parse = (body: string): object => {
  try {
    return describeParsed(parseEvent(body))
  } catch (error) {
    return isWebhookParseError(error) ? { result: error.code } : { error }
  }
}

describe('test vectors for events', () => {
  test.each(events.vectors)(
    'our parser returns the expected result for "$name"',
    ({ name: _, body, ...expected }) => {
      expect(parse(body)).toEqual(expected)
    },
  )

  test('contain the example of every event', () => {
    const bodies = events.vectors.map(({ body }) => body)
    expect(bodies).toEqual(
      expect.arrayContaining(Object.values(eventExamples).map((event) => JSON.stringify(event))),
    )
  })
})
