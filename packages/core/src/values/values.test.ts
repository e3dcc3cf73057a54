import { describe, expect, it } from 'vitest'
import { equalInConstantTime } from './constant-time.ts'
import { createIds } from './ids.ts'
import { digitsOf } from './phone-number.ts'
import { createSecureRandom } from './random.ts'
import { sha256 } from './sha256.ts'

describe('createIds', () => {
  it('writes the ULID of a time as its specification does', () => {
    const ids = createIds({ clock: { now: () => 1_469_918_176_385 }, random: () => 0.999 })
    expect(ids('wagrp')).toBe('wagrp_01ARYZ6S41ZZZZZZZZZZZZZZZZ')
  })

  it('counts on while the clock stands still or goes back, and never repeats an id', () => {
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

  it('carries over when the last digit is full', () => {
    const ids = createIds({ clock: { now: () => 0 }, random: () => 31 / 32 })
    ids('evt')
    expect(ids('evt')).toBe('evt_00000000000000000000000000')
  })
})

describe('digitsOf', () => {
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
  ])('takes %j for %j', (number, digits) => {
    expect(digitsOf(number)).toBe(digits)
  })

  it('takes no time for a long text that is no number', () => {
    const started = performance.now()
    for (const long of [' '.repeat(65_000), '+'.repeat(65_000), `${' '.repeat(65_000)}x`]) digitsOf(long)
    expect(performance.now() - started).toBeLessThan(500)
  })
})

describe('sha256', () => {
  it('is that of FIPS 180-4', async () => {
    expect(await sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})

describe('equalInConstantTime', () => {
  it('tells equal texts from others', () => {
    expect(equalInConstantTime('abc', 'abc')).toBe(true)
    for (const other of ['abd', 'ab', 'abcd', '']) expect(equalInConstantTime('abc', other)).toBe(false)
  })
})

describe('createSecureRandom', () => {
  it('gives numbers from 0 to below 1, different ones, also beyond its first batch', () => {
    const random = createSecureRandom()
    const numbers = Array.from({ length: 1_000 }, random)
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
    expect(new Set(numbers).size).toBeGreaterThan(990)
  })
})
