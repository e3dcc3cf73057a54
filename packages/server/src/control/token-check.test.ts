import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, expect, test } from 'vitest'
import { createTokenCheck } from './token-check.ts'

const original = crypto.timingSafeEqual
const compared: { lengths: number[]; isEqual: boolean }[] = []

// The original function still compares, and its arguments are recorded.
crypto.timingSafeEqual = (left, right) => {
  const isEqual = original(left, right)
  compared.push({ lengths: [left.byteLength, right.byteLength], isEqual })
  return isEqual
}
syncBuiltinESMExports()

afterEach(() => {
  crypto.timingSafeEqual = original
  syncBuiltinESMExports()
})

test('compares whole tokens in constant time, regardless of their length and where they differ', async () => {
  const token = 'a-token-of-some-length'
  const counted: unknown[] = []
  const check = createTokenCheck({
    token,
    name: 'control token',
    limits: {
      startGuess: () => () => {},
      admitStranger: async (address) => {
        counted.push(address)
        return {}
      },
    },
  })
  const wrong = ['', 'b', token.slice(0, -1), `${token}x`, `b${token.slice(1)}`, 'x'.repeat(10_000)]

  for (const sent of wrong) {
    await expect(check(new Headers({ authorization: `Bearer ${sent}` }), '192.0.2.1')).rejects.toMatchObject({
      code: 'token_required',
    })
  }
  await check(new Headers({ authorization: `Bearer ${token}` }), '192.0.2.1')

  expect(counted).toHaveLength(wrong.length)
  expect(compared).toEqual([
    ...wrong.map(() => ({ lengths: [32, 32], isEqual: false })),
    { lengths: [32, 32], isEqual: true },
  ])
})
