import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as node from './node.ts'
import * as web from './web.ts'

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64')

// RFC 4231, cases 1, 2, 3, 6 and 7: key, data, HMAC-SHA256.
const vectors = [
  ['0b'.repeat(20), '4869205468657265', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [
    '4a656665',
    '7768617420646f2079612077616e7420666f72206e6f7468696e673f',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  ['aa'.repeat(20), 'dd'.repeat(50), '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe'],
  [
    'aa'.repeat(131),
    '54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579204669727374',
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
  [
    'aa'.repeat(131),
    '5468697320697320612074657374207573696e672061206c6172676572207468616e20626c6f636b2d73697a65206b657920616e642061206c6172676572207468616e20626c6f636b2d73697a6520646174612e20546865206b6579206e6565647320746f20626520686173686564206265666f7265206265696e6720757365642062792074686520484d414320616c676f726974686d2e',
    '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
  ],
] as const

describe.each([
  ['node:crypto', node.createSigner],
  ['crypto.subtle', web.createSigner],
])('the signer on %s', (_, createSigner) => {
  it.each(vectors)('computes the HMAC-SHA256 of RFC 4231 with the key %.12s…', async (key, data, digest) => {
    expect(await createSigner(bytes(key))('', bytes(data))).toBe(base64(digest))
  })

  it('agrees with createHmac on any key, head and body', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.stringMatching(/^[!-~]{0,40}$/),
        fc.uint8Array({ maxLength: 500 }),
        async (key, head, body) => {
          const expected = createHmac('sha256', key).update(head).update(body).digest('base64')
          expect(await createSigner(new Uint8Array(key))(head, body)).toBe(expected)
        },
      ),
    )
  })

  it('returns the right signature to each of two interleaved callers', async () => {
    const sign = createSigner(bytes('aa'.repeat(32)))
    const alone = await sign('a.', bytes('01'))
    const both = await Promise.all([sign('a.', bytes('01')), sign('b.', bytes('02'))])
    expect(both[0]).toBe(alone)
    expect(both[1]).not.toBe(alone)
  })
})

it.each([
  ['node:crypto', node.digest],
  ['crypto.subtle', web.digest],
])('the digest on %s is the SHA-256 of FIPS 180 in hexadecimal', async (_, digest) => {
  expect(await digest(bytes('616263'))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})

it.each([{}, undefined])(
  'reports that signatures need crypto.subtle if the runtime has none: crypto is %j',
  async (crypto) => {
    vi.stubGlobal('crypto', crypto)
    onTestFinished(() => void vi.unstubAllGlobals())
    await expect(web.createSigner(bytes('00'))('', bytes('00'))).rejects.toThrow(
      'Signatures need crypto.subtle',
    )
  },
)
