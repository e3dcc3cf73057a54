import { describe, expect, it } from 'vitest'
import { basicAuth, bearerAuth, staticHeader, type Verifier } from '../index.ts'

const verdict = async (verify: Verifier, headers: HeadersInit, body = '{}') => {
  const delivery = {
    headers: new Headers(headers),
    body: new TextEncoder().encode(body),
    url: 'http://localhost/',
  }
  try {
    await verify.checkHeaders?.(delivery.headers)
    return await verify(delivery)
  } catch (error) {
    return Object(error).reason
  }
}

describe('staticHeader', () => {
  const verify = staticHeader({ header: 'X-Token', value: ['new', 'old'] })

  it('accepts each of its values, with any case of the header name', async () => {
    for (const value of ['new', 'old']) expect(await verdict(verify, { 'x-TOKEN': value })).toBe(true)
  })

  it.each(['New', 'new2', 'ne', 'new, old', ''])('rejects %j', async (value) => {
    expect(await verdict(verify, { 'x-token': value })).toBe('no_matching_signature')
  })

  it('rejects a request without the header', async () => {
    expect(await verdict(verify, {})).toBe('missing_header')
  })

  it.each([{}, { 'x-token': 'wrong' }])('names its header in the error for %j', (headers) => {
    expect(() => verify.checkHeaders?.(new Headers(headers))).toThrow(
      expect.objectContaining({ header: 'X-Token', message: expect.stringContaining('X-Token') }),
    )
  })

  it('ignores whitespace around its value, which a file-mounted secret often has', async () => {
    const padded = staticHeader({ header: 'x-token', value: ' new\n' })
    expect(await verdict(padded, { 'x-token': 'new' })).toBe(true)
  })

  it.each([
    ...['', ' ', 'Bearer', 'bearer ', 'Basic', 'Bearer undefined', 'null', 'a\nb', 'a\0', '\x7f', '\ud800'],
    ...[[], ['a', ''], undefined as unknown as string, [undefined] as unknown as string[]],
  ])('and the other two cannot be created with the value %j', (value) => {
    for (const create of [
      () => staticHeader({ header: 'x-token', value }),
      () => bearerAuth({ token: value }),
      () => basicAuth({ username: 'a', password: value }),
    ]) {
      expect(create).toThrow(expect.objectContaining({ reason: 'invalid_secret' }))
    }
  })

  it.each(['pässwörd', 'ÿ', '€5', '日本👋'])(
    'and the other two accept %s in UTF-8 and in Latin-1',
    async (value) => {
      const encodings = /[^\0-\xff]/.test(value) ? (['utf8'] as const) : (['utf8', 'latin1'] as const)
      for (const encoding of encodings) {
        // Every runtime decodes the bytes of headers as Latin-1.
        const received = (text: string) => Buffer.from(text, encoding).toString('latin1')
        const base64 = Buffer.from(`wäbakit:${value}`, encoding).toString('base64')
        const all: [Verifier, HeadersInit][] = [
          [staticHeader({ header: 'x-token', value }), { 'x-token': received(value) }],
          [bearerAuth({ token: value }), { authorization: `Bearer ${received(value)}` }],
          [basicAuth({ username: 'wäbakit', password: value }), { authorization: `Basic ${base64}` }],
        ]
        for (const [each, headers] of all) {
          expect(await verdict(each, headers)).toBe(true)
          const [wrong] = Object.entries(headers).map(([name, sent]) => ({ [name]: `${sent}x` }))
          expect(await verdict(each, wrong ?? {})).toBe('no_matching_signature')
        }
      }
    },
  )
})

describe('bearerAuth', () => {
  const verify = bearerAuth({ token: ['new', 'old'] })

  it('accepts each of its tokens, whatever the case of the scheme', async () => {
    for (const authorization of ['Bearer new', 'bearer old', 'BEARER  new'])
      expect(await verdict(verify, { authorization })).toBe(true)
  })

  it.each(['Bearer new2', 'Bearer', 'new', 'Basic new', 'Bearer new, Bearer old'])(
    'rejects %j',
    async (authorization) => {
      expect(await verdict(verify, { authorization })).toBe('no_matching_signature')
      expect(await verdict(verify, {})).toBe('missing_header')
    },
  )

  it('takes the token without its scheme', () => {
    expect(() => bearerAuth({ token: 'Bearer new' })).toThrow(/without "Bearer"/)
  })
})

describe('basicAuth', () => {
  const verify = basicAuth({ username: 'wäbakit', password: ['pässword:1', 'old'] })
  const authorization = (scheme: string, text: string) => ({
    authorization: `${scheme} ${Buffer.from(text).toString('base64')}`,
  })

  it('accepts the name with each password, in UTF-8, whatever the case of the scheme', async () => {
    for (const scheme of ['Basic', 'basic', 'BASIC', 'Basic  ']) {
      expect(await verdict(verify, authorization(scheme, 'wäbakit:pässword:1'))).toBe(true)
    }
    expect(await verdict(verify, authorization('Basic', 'wäbakit:old'))).toBe(true)
  })

  it.each([
    ['Basic', 'wäbakit:wrong'],
    ['Basic', 'other:old'],
    ['Basic', 'wäbakit'],
    ['Bearer', 'wäbakit:old'],
  ])('rejects %s %s', async (scheme, text) => {
    expect(await verdict(verify, authorization(scheme, text))).toBe('no_matching_signature')
  })

  it('accepts credentials that the sender has not encoded', async () => {
    const raw = basicAuth({ username: 'wabakit', password: 'p:1' })
    expect(await verdict(raw, { authorization: 'Basic wabakit:p:1' })).toBe(true)
    expect(await verdict(raw, { authorization: 'Basic wabakit:p:2' })).toBe('no_matching_signature')
  })

  it('rejects a request without authorization, and takes no username with a colon', async () => {
    expect(await verdict(verify, {})).toBe('missing_header')
    for (const username of ['a:b', undefined as unknown as string])
      expect(() => basicAuth({ username, password: 'p' })).toThrow(/username must be text without a colon/)
  })
})
