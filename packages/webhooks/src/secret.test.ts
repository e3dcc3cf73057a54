import { expect, it } from 'vitest'
import { generateSecret } from './index.ts'

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
  }
})
