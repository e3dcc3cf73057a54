import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  basicAuth,
  equalsInConstantTime,
  generateSecret,
  signWebhook,
  staticHeader,
  verifySignature,
} from '../index.ts'

const text = 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN'
const change = (value: string, index: number): string =>
  `${value.slice(0, index)}${value[index] === 'x' ? 'y' : 'x'}${value.slice(index + 1)}`

describe('equalsInConstantTime', () => {
  it('finds a difference at every position, and in the length', () => {
    expect([equalsInConstantTime(text, text), equalsInConstantTime('', '')]).toEqual([true, true])
    for (let index = 0; index < text.length; index += 1) {
      expect(equalsInConstantTime(text, change(text, index))).toBe(false)
    }
    expect(equalsInConstantTime(text, text.slice(0, -1))).toBe(false)
    expect(equalsInConstantTime(text, `${text}x`)).toBe(false)
    expect(equalsInConstantTime('', 'x')).toBe(false)
  })

  // A parsed body can contain any value, and an environment variable with the token can be unset.
  it.each([1, undefined, null, {}, { length: 2 }, ['a', 'b'], Symbol('a')])('equals nothing to %s', (odd) => {
    const value: unknown = odd
    const compare = (left: unknown, right: unknown) => equalsInConstantTime(left as string, right as string)
    expect([compare(value, value), compare(value, 'ab'), compare('ab', value)]).toEqual([false, false, false])
  })

  it('is not misled by differences that cancel each other out', () => {
    expect(equalsInConstantTime('ab', 'ba')).toBe(false)
    expect(equalsInConstantTime('aa', 'bb')).toBe(false)
  })
})

describe('the number of characters compared does not depend on where the first difference is', () => {
  // Time cannot be measured reliably in a test, but comparisons can be counted.
  const look = vi.spyOn(String.prototype, 'charCodeAt')
  beforeEach(() => void look.mockClear())
  afterEach(() => void look.mockClear())

  const count = async (work: () => unknown): Promise<number> => {
    look.mockClear()
    try {
      await work()
    } catch {
      // Rejections are expected.
    }
    return look.mock.calls.length
  }

  it('in two texts', async () => {
    for (const index of [0, 20, text.length - 1]) {
      expect(await count(() => equalsInConstantTime(text, change(text, index)))).toBe(2 * text.length)
    }
  })

  it('in a signature', async () => {
    const secret = generateSecret()
    const { headers } = await signWebhook({ payload: '{}', secret })
    const own = headers['webhook-signature']
    const forge = (index: number) => ({ ...headers, 'webhook-signature': change(own, index) })
    const verify = (index: number) => () =>
      verifySignature({ payload: '{}', headers: forge(index), secrets: [secret] })
    await verify(3)().catch(() => {})
    const [first, last] = [await count(verify(3)), await count(verify(own.length - 2))]
    expect(first).toBe(last)
    expect(first).toBeGreaterThanOrEqual(2 * (own.length - 3))
  })

  it.each([
    [
      'staticHeader',
      staticHeader({ header: 'authorization', value: ['basic bmFtZTpvbmU=', 'basic bmFtZTp0d28='] }),
    ],
    ['basicAuth', basicAuth({ username: 'name', password: ['one', 'two'] })],
  ])('in the header of %s, and every accepted value is compared', async (_, { checkHeaders }) => {
    const [one, two] = ['basic bmFtZTpvbmU=', 'basic bmFtZTp0d28=']
    const check = (authorization: string) => {
      const headers = new Headers({ authorization })
      headers.get('authorization')
      return () => checkHeaders?.(headers)
    }
    const counts: number[] = []
    for (const value of [one, two, change(one, 6), change(one, 17), change(two, 17)]) {
      counts.push(await count(check(value)))
    }
    expect(new Set(counts).size).toBe(1)
    expect(counts[0]).toBeGreaterThanOrEqual(4 * one.length)
  })
})
