import { describe, expect, it } from 'vitest'
import { buildApiKey, buildOrganization } from '../../test/store-cases/records.ts'
import type { CallerRecord } from '../records.ts'
import { sha256 } from '../values/sha256.ts'
import { createClientAddresses, createRateLimits, toClientNetwork } from './rate-limits.ts'

const clock = { now: () => 0 }
const addresses = Array.from({ length: 10_000 }, (_, index) => `10.${index >> 8}.${index & 255}.1`)

const createCaller = (key: string): CallerRecord => ({
  key: buildApiKey({ hash: sha256(key) }),
  organization: buildOrganization(),
})

describe('toClientNetwork', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['2001:0DB8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
    ['2001:db8:0:1::', '2001:db8:0:1::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('counts %s as %s', (address, network) => {
    expect(toClientNetwork(address)).toBe(network)
  })
})

describe('an exhausted address', () => {
  it('is remembered until its next token is due, even if the clock is then set back', () => {
    const now = { time: 5_000 }
    const exhausted = createClientAddresses({ now: () => now.time })
    const find = (time: number) => {
      now.time = time
      return exhausted.findExhausted('192.0.2.1')
    }
    exhausted.addCounted('192.0.2.1', { remaining: 0, retryAfterMs: 1_000, fullAfterMs: 60_000 })
    expect(find(5_000)).toEqual({ remaining: 0, retryAfterMs: 1_000, fullAfterMs: 60_000 })
    expect(find(5_999)).toEqual({ remaining: 0, retryAfterMs: 1, fullAfterMs: 59_001 })
    expect(find(6_000)).toBeUndefined()
    expect(find(5_999)).toBeUndefined()
  })
})

describe('a flood from many addresses', () => {
  it('keeps at most 10,000 exhausted addresses', () => {
    const exhausted = createClientAddresses(clock)
    const state = { remaining: 0, retryAfterMs: 1_000, fullAfterMs: 60_000 }
    exhausted.addCounted('192.0.2.1', state)
    expect(exhausted.findExhausted('192.0.2.1')).toEqual(state)
    for (const address of addresses) exhausted.addCounted(address, state)
    expect(exhausted.findExhausted('192.0.2.1')).toBeUndefined()
    expect(exhausted.findExhausted(addresses.at(-1) ?? '')).toEqual(state)
  })

  it('counts each pair of an address and a key once, and starts over when there are 10,000', () => {
    const known = createClientAddresses(clock)
    const [first = ''] = addresses
    for (const address of addresses.slice(1)) known.addKnownKey(address, 'hash')
    for (const address of addresses) known.addKnownKey(address, 'hash')
    expect(addresses.every((address) => known.isKnownKey(address, 'hash'))).toBe(true)
    for (const address of ['192.0.2.1', '192.0.2.2']) known.addKnownKey(address, 'hash')
    expect([first, '192.0.2.1', '192.0.2.2'].map((address) => known.isKnownKey(address, 'hash'))).toEqual([
      false,
      true,
      true,
    ])
  })
})

describe('keys that arrive at once', () => {
  const ip = { requests: 3, perMs: 60_000 }
  const address = '192.0.2.1'

  it('are looked up only as far as their address has tokens', async () => {
    const limits = createRateLimits({ ip }, clock)
    const ends = ['a', 'b', 'c'].map((key) => limits.startGuess(address, key))
    expect(() => limits.startGuess(address, 'wrong')).toThrow('Try again in 1 s.')
    // The same key is one guess, however often it arrives.
    limits.startGuess(address, 'a')()
    expect(() => limits.startGuess('192.0.2.2', 'wrong')).not.toThrow()
    for (const end of ends) {
      await limits.admitStranger(address)
      end()
    }
    // One at a time, until its count shows that the bucket is empty.
    const last = limits.startGuess(address, 'd')
    expect(() => limits.startGuess(address, 'wrong')).toThrow('Too many requests')
    await expect(limits.admitStranger(address)).rejects.toMatchObject({ code: 'rate_limited' })
    last()
    expect(() => limits.startGuess(address, 'wrong')).toThrow('Too many requests')
  })

  it('may be looked up again as the bucket refills', async () => {
    const now = { time: 0 }
    const limits = createRateLimits({ ip }, { now: () => now.time })
    for (let time = 0; time < 3; time++) await limits.admitStranger(address)
    now.time = 40_000
    const ends = ['a', 'b'].map((key) => limits.startGuess(address, key))
    expect(() => limits.startGuess(address, 'wrong')).toThrow('Too many requests')
    for (const end of ends) end()
    for (const end of ends) end()
    expect(() => limits.startGuess(address, 'wrong')).not.toThrow()
  })

  it('do not lock out a key that has been valid from their address', async () => {
    const limits = createRateLimits({ organization: false, key: false, ip }, clock)
    await limits.admit(createCaller('wk_known_0123456789'), address)
    for (const key of ['a', 'b', 'c']) limits.startGuess(address, key)
    for (let time = 0; time < 9; time++) {
      expect(() => limits.startGuess(address, sha256('wk_known_0123456789'))).not.toThrow()
    }
  })
})

it('counts keys that arrive at once from all addresses of a /64 together', () => {
  const clients = createClientAddresses({ now: () => 0 })
  const limit = { requests: 60, perMs: 60_000 }
  clients.addCounted('2001:db8::1', { remaining: 1, retryAfterMs: 0, fullAfterMs: 59_000 })

  const end = clients.startGuess('2001:db8::2', { key: 'one', limit })
  expect(end).toBeDefined()
  expect(clients.startGuess('2001:db8::3', { key: 'other', limit })).toBeUndefined()
  expect(clients.startGuess('2001:db8:0:1::3', { key: 'other', limit })).toBeDefined()
  end?.()
  expect(clients.startGuess('2001:db8::3', { key: 'other', limit })).toBeDefined()
})
