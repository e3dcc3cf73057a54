import { createHmac } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { signWebhook, type VerificationFailure, verifySignature } from '../index.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const payload = '{"test": 2432232314}'
const signedAt = 1_614_265_330
const headers = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': String(signedAt),
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}
const at = (seconds: number) => () => seconds * 1000
const given = { payload, headers, secrets: [secret], now: at(signedAt) }

const rejected = (reason: VerificationFailure, details: object = {}) =>
  expect.objectContaining({ name: 'WebhookVerificationError', reason, ...details })

describe('the signature', () => {
  it('is accepted for the example from the Standard Webhooks specification', async () => {
    await expect(verifySignature(given)).resolves.toEqual({ id: headers['webhook-id'], timestamp: signedAt })
  })

  it('is accepted for text, bytes, an ArrayBuffer and a view of a larger buffer', async () => {
    const bytes = new TextEncoder().encode(payload)
    const view = Buffer.from(`xx${payload}xx`).subarray(2, -2)
    for (const each of [payload, bytes, bytes.buffer, view]) {
      await expect(verifySignature({ ...given, payload: each })).resolves.toBeDefined()
    }
  })

  it('is verified over the original bytes, whether they are UTF-8 or not', async () => {
    const body = Uint8Array.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const head = `${headers['webhook-id']}.${signedAt}.`
    const signature = createHmac('sha256', key).update(head).update(body).digest('base64')
    const signed = { ...given, headers: { ...headers, 'webhook-signature': `v1,${signature}` } }
    await expect(verifySignature({ ...signed, payload: body })).resolves.toBeDefined()
    const replaced = new TextDecoder().decode(body)
    await expect(verifySignature({ ...signed, payload: replaced })).rejects.toEqual(
      rejected('no_matching_signature'),
    )
  })

  it.each([
    ['re-serialized', JSON.stringify(JSON.parse(payload))],
    ['prefixed by a byte order mark', `\ufeff${payload}`],
    ['followed by a newline', `${payload}\n`],
    ['emptied', ''],
  ])('does not match a body that was %s', async (_, changed) => {
    await expect(verifySignature({ ...given, payload: changed })).rejects.toEqual(
      rejected('no_matching_signature'),
    )
  })

  it("is verified over bytes from another realm, such as Jest's", async () => {
    const foreign = runInNewContext('Uint8Array.from(bytes)', { bytes: [...Buffer.from(payload)] })
    const buffer = runInNewContext('Uint8Array.from(bytes).buffer', { bytes: [...Buffer.from(payload)] })
    for (const each of [foreign, buffer]) {
      await expect(verifySignature({ ...given, payload: each })).resolves.toBeDefined()
    }
  })

  it('cannot be verified over a parsed body, as the error explains', async () => {
    for (const parsed of [JSON.parse(payload), null, undefined, 42]) {
      await expect(verifySignature({ ...given, payload: parsed })).rejects.toThrow(/before any body parser/)
    }
  })

  it('is not accepted in an unknown version, even when its bytes are right', async () => {
    for (const version of ['v2', 'v10', 'v']) {
      const signature = headers['webhook-signature'].replace('v1', version)
      const other = { ...headers, 'webhook-signature': signature }
      await expect(verifySignature({ ...given, headers: other })).rejects.toEqual(
        rejected('no_matching_signature'),
      )
    }
  })

  it('must be canonical: no other base64 of the same bytes is accepted', async () => {
    for (const written of ['OF=', 'OE', 'OE==']) {
      const other = { ...headers, 'webhook-signature': headers['webhook-signature'].replace('OE=', written) }
      await expect(verifySignature({ ...given, headers: other })).rejects.toEqual(
        rejected('no_matching_signature'),
      )
    }
  })

  it('is never verified once a single bit of the signed content or the signature is flipped', async () => {
    const flip = (text: string, bit: number) => {
      const bytes = Buffer.from(text, 'latin1')
      const index = (bit >> 3) % bytes.length
      bytes.writeUInt8(bytes.readUInt8(index) ^ (1 << (bit & 7)), index)
      return bytes.toString('latin1')
    }
    const parts = fc.constantFrom('payload', ...(Object.keys(headers) as (keyof typeof headers)[]))
    await fc.assert(
      fc.asyncProperty(parts, fc.nat(2_000), async (part, bit) => {
        const changed =
          part === 'payload'
            ? { ...given, payload: flip(payload, bit) }
            : { ...given, headers: { ...headers, [part]: flip(headers[part], bit) } }
        await expect(verifySignature(changed)).rejects.toMatchObject({ name: 'WebhookVerificationError' })
      }),
    )
  })
})

describe('the secrets', () => {
  it('may lack the prefix', async () => {
    await expect(verifySignature({ ...given, secrets: [secret.slice(6)] })).resolves.toBeDefined()
  })

  it.each([
    ['empty', ''],
    ['a bare prefix', 'whsec_'],
    ['followed by a newline', `${secret}\n`],
    ['not base64', 'whsec_not base64!'],
    ['URL-safe base64', `whsec_${'-_'.repeat(20)}`],
    ['base64 of an impossible length', `whsec_${'A'.repeat(41)}`],
    ['shorter than 24 bytes', `whsec_${btoa('x'.repeat(23))}`],
  ])('are rejected when one is %s', async (_, wrong) => {
    await expect(verifySignature({ ...given, secrets: [secret, wrong] })).rejects.toEqual(
      rejected('invalid_secret'),
    )
  })

  it('are rejected with the most likely reason', async () => {
    const getMessage = (wrong: string) => verifySignature({ ...given, secrets: [wrong] }).catch(String)
    for (const empty of ['', 'whsec_']) expect(await getMessage(empty)).toContain('is empty')
    expect(await getMessage(`${secret}\n`)).toContain('whitespace')
    expect(await getMessage('whsec_!')).toContain('not base64')
    expect(await getMessage('whsec_AAAA')).toContain('only 3 bytes')
    expect(await verifySignature({ ...given, secrets: [] }).catch(String)).toContain('no secret')
  })

  it('may be short only with an explicit option', async () => {
    // A secret that no other test has put into the cache.
    const short = `whsec_${btoa(crypto.randomUUID().slice(0, 8))}`
    const signed = await signWebhook({ payload, secret: short, allowShortSecrets: true })
    const options = { payload, headers: signed.headers, secrets: [short] }
    await expect(verifySignature({ ...options, allowShortSecrets: true })).resolves.toBeDefined()
    await expect(verifySignature(options)).rejects.toEqual(rejected('invalid_secret'))
  })

  it('are never part of an error', async () => {
    for (const wrong of [`${secret} `, 'whsec_hunter2', '']) {
      const error = await verifySignature({ ...given, secrets: [wrong] }).catch((thrown: Error) => thrown)
      expect(`${Object(error).message} ${JSON.stringify(error)}`).not.toMatch(/MfKQ|hunter2/)
    }
  })
})

describe('the timestamp', () => {
  it('is rejected one second beyond the tolerance, with the measured skew', async () => {
    await expect(verifySignature({ ...given, now: at(signedAt + 301) })).rejects.toEqual(
      rejected('timestamp_too_old', { skewSeconds: 301 }),
    )
    await expect(verifySignature({ ...given, now: at(signedAt - 301) })).rejects.toEqual(
      rejected('timestamp_too_new', { skewSeconds: -301 }),
    )
  })

  it('is rejected with its age and the tolerance', async () => {
    await expect(verifySignature({ ...given, now: at(signedAt + 301) })).rejects.toThrow(
      'The signature is 301 s old (tolerance 300 s). Check the clocks',
    )
    await expect(verifySignature({ ...given, now: at(signedAt - 301) })).rejects.toThrow(
      'The signature is 301 s ahead (tolerance 300 s). Check the clocks',
    )
  })

  it('is counted in whole seconds, as the header is', async () => {
    await expect(
      verifySignature({ ...given, now: () => (signedAt + 300) * 1000 + 999 }),
    ).resolves.toBeDefined()
  })

  it('must be the current second when the tolerance is 0', async () => {
    const exact = { ...given, toleranceSeconds: 0 }
    await expect(verifySignature(exact)).resolves.toBeDefined()
    await expect(verifySignature({ ...exact, now: at(signedAt + 1) })).rejects.toEqual(
      rejected('timestamp_too_old', { skewSeconds: 1 }),
    )
  })

  it('may be of any time when the tolerance is Infinity', async () => {
    const options = { ...given, toleranceSeconds: Number.POSITIVE_INFINITY, now: Date.now }
    await expect(verifySignature(options)).resolves.toBeDefined()
  })

  it('may be the last second that a Date can represent', async () => {
    const last = { payload, secret, timestamp: 8_640_000_000_000 }
    const options = { ...given, ...(await signWebhook(last)), now: at(last.timestamp) }
    await expect(verifySignature(options)).resolves.toMatchObject({ timestamp: last.timestamp })
  })

  it('is compared with the clock of this machine by default', async () => {
    const { now: _, ...options } = given
    await expect(verifySignature(options)).rejects.toEqual(rejected('timestamp_too_old'))
  })

  it.each([-1, Number.NaN])('cannot have a tolerance of %d', async (toleranceSeconds) => {
    await expect(verifySignature({ ...given, toleranceSeconds })).rejects.toThrow(RangeError)
    await expect(verifySignature({ ...given, toleranceSeconds })).rejects.toThrow(`not ${toleranceSeconds}`)
  })

  it('is rejected when the clock is broken', async () => {
    await expect(verifySignature({ ...given, now: () => Number.NaN })).rejects.toMatchObject({
      name: 'WebhookVerificationError',
    })
  })

  it('in milliseconds is rejected with an explanation', async () => {
    const inMilliseconds = { ...headers, 'webhook-timestamp': `${signedAt}000` }
    await expect(verifySignature({ ...given, headers: inMilliseconds })).rejects.toThrow(/milliseconds/)
  })

  it.each([
    '1e9',
    '123abc',
    '1614265330.0',
    '-1614265330',
    '+1614265330',
    '0x60',
    '١٦١٤',
    '9'.repeat(400),
    '8640000000001',
    '00001614265330',
    '1, 2',
  ])('is malformed when it is %s', async (timestamp) => {
    await expect(
      verifySignature({ ...given, headers: { ...headers, 'webhook-timestamp': timestamp } }),
    ).rejects.toEqual(rejected('malformed_header', { header: 'webhook-timestamp' }))
  })
})

describe('the headers', () => {
  const upperCase = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  )
  const arrays = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))

  it.each([
    ['a Headers object', new Headers(headers)],
    ['a plain object', headers],
    ['a plain object in upper case', upperCase],
    ['an object of arrays', arrays],
    ['an object without a prototype', Object.assign(Object.create(null), headers)],
  ])('may be %s', async (_, form) => {
    await expect(verifySignature({ ...given, headers: form })).resolves.toBeDefined()
  })

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'are rejected without %s, which the error names',
    async (header) => {
      for (const value of [undefined, '', []]) {
        await expect(verifySignature({ ...given, headers: { ...headers, [header]: value } })).rejects.toEqual(
          rejected('missing_header', { header }),
        )
      }
    },
  )

  it('may repeat the signature, joined or as an array', async () => {
    const own = headers['webhook-signature']
    for (const repeated of [['v1,AAAA', own], [own, 'v1,AAAA'], `v1,AAAA, ${own}`, `${own}, v1,AAAA`]) {
      await expect(
        verifySignature({ ...given, headers: { ...headers, 'webhook-signature': repeated } }),
      ).resolves.toBeDefined()
    }
  })

  it('must not repeat the id or the timestamp', async () => {
    for (const header of ['webhook-id', 'webhook-timestamp'] as const) {
      const repeated = { ...headers, [header]: [headers[header], headers[header]] }
      await expect(verifySignature({ ...given, headers: repeated })).rejects.toEqual(
        rejected('malformed_header', { header }),
      )
    }
  })

  it('are malformed when the id contains a full stop, because the signature would match another id and body', async () => {
    // The signed text is id.timestamp.body, so the same signature would match the id "a" and the body "2.{}".
    const id = `a.${signedAt}`
    const body = '{}'
    const sign = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    const signature = `v1,${sign.update(`${id}.${signedAt}.${body}`).digest('base64')}`
    const ambiguous = { ...headers, 'webhook-id': id, 'webhook-signature': signature }
    await expect(verifySignature({ ...given, payload: body, headers: ambiguous })).rejects.toEqual(
      rejected('malformed_header', { header: 'webhook-id' }),
    )
    const sameText = verifySignature({
      ...given,
      payload: `${signedAt}.${body}`,
      headers: { ...ambiguous, 'webhook-id': 'a' },
    })
    await expect(sameText).resolves.toBeDefined()
  })

  it.each(['v1', 'g0hM9SsE', ',abc', '   '])(
    'are malformed when the signature is "%s"',
    async (signature) => {
      await expect(
        verifySignature({ ...given, headers: { ...headers, 'webhook-signature': signature } }),
      ).rejects.toEqual(rejected('malformed_header', { header: 'webhook-signature' }))
    },
  )

  it.each([
    ['webhook-id', 'a b', 'visible ASCII characters without a full stop'],
    ['webhook-timestamp', '1e9', 'Unix seconds, digits only'],
    ['webhook-signature', 'v1', 'signatures such as "v1,…", separated by spaces'],
  ])('are malformed if the %s is %s, and the error says what it must be', async (header, value, rule) => {
    const malformed = { ...headers, [header]: value }
    await expect(verifySignature({ ...given, headers: malformed })).rejects.toThrow(
      `The header ${header} must be ${rule}.`,
    )
  })

  it('are not taken from a prototype', async () => {
    await expect(verifySignature({ ...given, headers: Object.create(headers) })).rejects.toEqual(
      rejected('missing_header'),
    )
  })
})
