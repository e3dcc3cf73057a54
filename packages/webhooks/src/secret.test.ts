import { expect, it, onTestFinished, vi } from 'vitest'
import { generateSecret } from './index.ts'
import { getSigners } from './secret.ts'

const getSize = (secret: string) => Buffer.from(secret.slice('whsec_'.length), 'base64').length

it('generates a different secret of 32 bytes every time', () => {
  const secrets = Array.from({ length: 100 }, () => generateSecret())
  expect(new Set(secrets).size).toBe(100)
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
})

it('generates secrets of 24 to 64 bytes and no other size', () => {
  expect([24, 64].map((bytes) => getSize(generateSecret({ bytes })))).toEqual([24, 64])
  for (const bytes of [0, 23, 65, 32.5, Number.NaN]) {
    expect(() => generateSecret({ bytes })).toThrow(expect.objectContaining({ reason: 'invalid_secret' }))
    expect(() => generateSecret({ bytes })).toThrow(`24 to 64 bytes, not ${bytes}`)
  }
})

it('decodes a secret once for any number of signatures, unless there are thousands of secrets', () => {
  const decode = vi.spyOn(globalThis, 'atob')
  onTestFinished(() => decode.mockRestore())
  const countDecoded = (secrets: readonly string[]) => {
    decode.mockClear()
    for (const secret of secrets) getSigners([secret], true)
    return decode.mock.calls.length
  }
  const secrets = [generateSecret(), generateSecret({ bytes: 24 }), `whsec_${btoa('brief')}`]
  // Other tests may have filled the cache, which is then emptied once.
  countDecoded([...secrets, ...secrets])
  expect(countDecoded(secrets)).toBe(0)
  const others = Array.from({ length: 2_000 }, () => generateSecret())
  expect(countDecoded(others)).toBe(2_000)
  expect(countDecoded(secrets)).toBe(2)
})
