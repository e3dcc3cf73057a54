import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createIds, createSecureRandom } from './ids.ts'
import { toDigits } from './phone-number.ts'
import { computeSha256, sha256 } from './sha256.ts'
import { isIdentifier, isStorableText } from './storable-text.ts'

describe('createIds', () => {
  it('encodes a time as the ULID specification does', () => {
    const ids = createIds({ clock: { now: () => 1_469_918_176_385 }, random: () => 0.999 })
    expect(ids('wagrp')).toBe('wagrp_01ARYZ6S41ZZZZZZZZZZZZZZZZ')
  })

  it('keeps counting while the clock does not advance or goes back, and never repeats an id', () => {
    let now = 1_000
    const ids = createIds({ clock: { now: () => now }, random: () => 0.5 })
    const made = [ids('evt'), ids('evt')]
    now = 5
    made.push(ids('evt'), ids('evt'))
    now = 1_001
    made.push(ids('evt'))
    expect(made).toEqual([...new Set(made)].sort())
    expect(made[1]?.slice(-2)).toBe('GH')
  })

  it('carries over when the last digit overflows', () => {
    const ids = createIds({ clock: { now: () => 0 }, random: () => 31 / 32 })
    ids('evt')
    expect(ids('evt')).toBe('evt_00000000000000000000000000')
  })

  it('repeats none of many thousand ids from one millisecond, and sorts them', () => {
    const ids = createIds({ clock: { now: () => 0 }, random: () => 0.5 })
    const made = Array.from({ length: 40_000 }, () => ids('evt'))
    expect(made).toEqual([...new Set(made)].sort())
  })
})

describe('toDigits', () => {
  it.each([
    ['+1 (555) 010-0001', '15550100001'],
    ['1.555.010.0001', '15550100001'],
    ['  +49', '49'],
    ['', undefined],
    ['+', undefined],
    ['()', undefined],
    ['1+2', undefined],
    ['++1', undefined],
    ['1\u00a02', undefined],
    ['١٢٣', undefined],
    ['tel:123', undefined],
    ['1'.repeat(255), '1'.repeat(255)],
    ['1'.repeat(256), undefined],
  ])('takes %j for %j', (number, digits) => {
    expect(toDigits(number)).toBe(digits)
  })

  it('is fast for a long string that is not a number', () => {
    const started = process.cpuUsage()
    for (const long of [' '.repeat(65_000), '+'.repeat(65_000), `${' '.repeat(65_000)}x`]) toDigits(long)
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(500)
  })
})

describe.each([
  ['of node:crypto', sha256],
  ['for other runtimes', computeSha256],
])('sha256 %s', (_, sha256) => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
    ['a'.repeat(1_000_000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
  ])('is that of FIPS 180-4 for its examples', (text, hash) => {
    expect(sha256(text)).toBe(hash)
  })

  it("agrees with the platform's for every length around the block size, and for any string", async () => {
    const expected = (text: string): string => createHash('sha256').update(text).digest('hex')
    for (let length = 0; length < 300; length++) {
      const text = 'x'.repeat(length)
      expect(sha256(text)).toBe(expected(text))
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => sha256(text) === expected(text)),
    )
  })
})

describe('isIdentifier and isStorableText', () => {
  it.each([5, null, undefined, { length: 1 }, new String('a')])(
    'reject %j, which is not a string',
    (value) => {
      expect([isIdentifier(value), isStorableText(value)]).toEqual([false, false])
    },
  )
})

describe('createSecureRandom', () => {
  it('returns different numbers from 0 to below 1, even beyond its first batch', () => {
    const random = createSecureRandom()
    const numbers = Array.from({ length: 10_000 }, random)
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
    expect(new Set(numbers).size).toBeGreaterThan(9_900)
  })

  it('reads the generator of the platform once for 4,096 numbers', () => {
    const read = vi.spyOn(crypto, 'getRandomValues')
    onTestFinished(() => read.mockRestore())
    const random = createSecureRandom()
    for (let count = 0; count < 4_096; count++) random()
    expect(read).toHaveBeenCalledTimes(1)
    random()
    expect(read).toHaveBeenCalledTimes(2)
  })
})
