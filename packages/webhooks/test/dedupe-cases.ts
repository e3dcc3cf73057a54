import { type Claim, createReceiver, type Dedupe, memoryDedupe, standardWebhooks } from '@wabakit/webhooks'
import fc from 'fast-check'
import { beforeEach, expect, it, vi } from 'vitest'
import { joined, secret, signed } from './signed.ts'

/** Two clients of one store, as in two processes. Completed keys live for `ttlMs`. */
export type DedupePair = (ttlMs: number) => Promise<readonly [Dedupe, Dedupe]>

const newKey = () => `key ${process.hrtime.bigint()} ünïque`

/** Claims a key that is free. */
export const claim = async (dedupe: Dedupe, key: string, ttlMs = 60_000): Promise<Claim> => {
  const outcome = await dedupe.claim(key, ttlMs)
  if (typeof outcome === 'string') throw new Error(`${key} is not free: ${outcome}`)
  return outcome
}

const claimExpired = (dedupe: Dedupe, key: string): Promise<Claim> =>
  vi.waitFor(() => claim(dedupe, key), { interval: 5, timeout: 120_000 })

const step = fc.record({
  do: fc.constantFrom('claim', 'claim', 'renew', 'complete', 'release', 'expire'),
  key: fc.constantFrom('a', 'b'),
  client: fc.nat(),
  claim: fc.nat(),
})
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never

/** Runs steps on clients of a store, and returns their outcomes. `sleep` waits until a claim of 1 ms has expired. */
const play = async (
  clients: readonly Dedupe[],
  steps: readonly Step[],
  { prefix, sleep }: { readonly prefix: string; readonly sleep: () => unknown },
): Promise<unknown[]> => {
  const claims: { readonly key: string; readonly claim: Claim }[] = []
  const outcomes: unknown[] = []
  for (const { do: action, key, ...each } of steps) {
    const client = clients[each.client % clients.length]
    const held = claims[each.claim % claims.length]
    if (action === 'claim') {
      const outcome = await client?.claim(prefix + key, 60_000)
      if (typeof outcome === 'object') claims.push({ key, claim: outcome })
      outcomes.push(typeof outcome === 'object' ? 'claimed' : outcome)
    } else if (held === undefined || client === undefined) continue
    else if (action === 'complete') outcomes.push(await held.claim.complete())
    else if (action === 'release') await held.claim.release()
    else {
      const isHeld = await held.claim.renew(action === 'renew' ? 60_000 : 1)
      outcomes.push(isHeld)
      if (action === 'renew' || !isHeld) continue
      sleep()
      claims.push({ key: held.key, claim: await claimExpired(client, prefix + held.key) })
    }
  }
  return outcomes
}

/** Stores with different names, in one database, must pass this test. */
export const separationCase = (open: (name: string) => Dedupe | Promise<Dedupe>): void => {
  it('remembers a key under each name', async () => {
    const [first, second] = [await open('first_name'), await open('second_name')]
    await (await claim(first, 'key')).complete()
    await (await claim(second, 'key')).release()
    expect([await first.claim('key', 1), await second.claim('key', 60_000)]).toMatchObject(['duplicate', {}])
  })
}

/** A database in which tables of {@link sqlDedupe} are created. */
export type TableEnvironment = {
  open(options: { readonly table: string; readonly ttlMs?: number }): Dedupe | Promise<Dedupe>
  listKeys(table: string): Promise<unknown[]>
}

/** Every database with tables must pass these tests. */
export const tableCases = ({ open, listKeys }: TableEnvironment): void => {
  separationCase((table) => open({ table }))

  it('deletes expired rows, and nothing else', async () => {
    const table = 'swept'
    // The last of 300 completions is the 1,000th, which sweeps.
    using _random = vi.spyOn(Math, 'random').mockReturnValue(0.7)
    const [brief, lasting] = [await open({ table, ttlMs: 1 }), await open({ table })]
    await (await claim(lasting, 'lasting')).complete()
    await claim(lasting, 'claimed')
    for (let key = 0; key < 300; key += 1) await (await claim(brief, `${key}`)).complete()
    const keys = await listKeys(table)
    expect(keys.length).toBeLessThan(100)
    expect(keys).toEqual(expect.arrayContaining(['claimed', 'lasting']))
  })

  it('deletes the expired claim of a process that ended', async () => {
    const table = 'ended'
    using _random = vi.spyOn(Math, 'random').mockReturnValue(0.9999)
    const dedupe = await open({ table })
    await claim(dedupe, 'ended', 1)
    await claim(dedupe, 'later', 1)
    await (await claimExpired(dedupe, 'later')).complete()
    expect(await listKeys(table)).toEqual(['later'])
  })

  it('deletes expired rows even if every process handles only one delivery', async () => {
    const [table, ttlMs] = ['short_lived', 1]
    using _random = vi.spyOn(Math, 'random').mockReturnValue(0.9999)
    const [first, second] = [await open({ table, ttlMs }), await open({ table, ttlMs })]
    for (const key of ['old', 'later']) await (await claim(first, key)).complete()
    await (await claimExpired(first, 'later')).complete()
    await (await claim(second, 'new')).complete()
    expect(await listKeys(table)).not.toContain('old')
  })
}

/** Every dedupe store must pass these tests. */
export const dedupeCases = (pair: DedupePair, { numRuns = 15 } = {}): void => {
  let first: Dedupe
  let second: Dedupe
  beforeEach(async () => {
    ;[first, second] = await pair(60_000)
  })

  it('lets a released key be claimed again', async () => {
    const key = newKey()
    await (await claim(first, key)).release()
    await claim(second, key)
  })

  it('lets exactly one of many concurrent claims succeed', async () => {
    const key = newKey()
    const claims = Array.from({ length: 40 }, (_, index) => (index % 2 ? first : second).claim(key, 60_000))
    const outcomes = await Promise.all(claims)
    expect(outcomes.filter((outcome) => typeof outcome === 'object')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'in_progress')).toHaveLength(39)
  })

  it('lets a key be claimed again when the claim of a dead process expires', async () => {
    const key = newKey()
    const dead = await claim(first, key)
    expect(await second.claim(key, 60_000)).toBe('in_progress')
    await dead.renew(1)
    await claimExpired(second, key)
    expect(await first.claim(key, 60_000)).toBe('in_progress')
  })

  it('keeps a claim that is renewed', async () => {
    const [key, other] = [newKey(), newKey()]
    const renewed = await claim(first, key, 1_000)
    expect(await renewed.renew(60_000)).toBe(true)
    await claim(first, other, 1_000)
    await claimExpired(second, other)
    expect(await second.claim(key, 60_000)).toBe('in_progress')
    expect(await renewed.complete()).toBe(true)
  })

  it('keeps a completed key even though its claim would have expired', async () => {
    const [key, later] = [newKey(), newKey()]
    await (await claim(first, key, 20)).complete()
    await claim(first, later, 20)
    await claimExpired(second, later)
    expect(await second.claim(key, 20)).toBe('duplicate')
  })

  it('keeps a completed key, whatever its former holder does with the claim', async () => {
    const key = newKey()
    const completed = await claim(first, key)
    await completed.complete()
    await completed.release()
    expect(await completed.renew(1)).toBe(false)
    expect(await second.claim(key, 60_000)).toBe('duplicate')
  })

  it('completes an expired claim if its key has not been claimed since', async () => {
    const key = newKey()
    const expired = await claim(first, key, 1)
    await (await claimExpired(second, key)).release()
    expect(await expired.complete()).toBe(true)
    expect(await second.claim(key, 60_000)).toBe('duplicate')
  })

  it("does not let the holder of an expired claim touch the next holder's claim", async () => {
    const key = newKey()
    const lost = await claim(first, key, 1)
    const next = await claimExpired(second, key)
    expect(await lost.renew(1)).toBe(false)
    expect(await lost.complete()).toBe(false)
    await lost.release()
    expect(await first.claim(key, 60_000)).toBe('in_progress')
    expect(await next.complete()).toBe(true)
  })

  it('does not let the holder of an expired claim touch what the next holder has completed', async () => {
    const key = newKey()
    const lost = await claim(first, key, 1)
    await (await claimExpired(second, key)).complete()
    expect(await lost.renew(1)).toBe(false)
    expect(await lost.complete()).toBe(false)
    await lost.release()
    expect(await first.claim(key, 60_000)).toBe('duplicate')
  })

  it.each([1_000.5, Number.POSITIVE_INFINITY])(
    'keeps a key for %d ms, which no store can represent',
    async (ms) => {
      const [dedupe] = await pair(ms)
      const key = crypto.randomUUID()
      await (await claim(dedupe, key)).complete()
      expect(await dedupe.claim(key, 1_000)).toBe('duplicate')
    },
  )

  it('forgets a completed key after its time', async () => {
    const [short] = await pair(20)
    const key = newKey()
    await (await claim(short, key)).complete()
    await claimExpired(short, key)
  })

  it('behaves like memoryDedupe, whatever two clients do in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        let now = 0
        const reference = memoryDedupe({ now: () => now })
        const expected = await play([reference], steps, { prefix: '', sleep: () => (now += 1) })
        expect(await play([first, second], steps, { prefix: newKey(), sleep: () => {} })).toEqual(expected)
      }),
      { numRuns },
    )
  })

  it('makes receivers handle a delivery once, however many concurrent replays there are', async () => {
    let handled = 0
    const others = Promise.withResolvers<void>()
    const receivers = [first, second].map((dedupe) =>
      createReceiver({ verify: standardWebhooks({ secrets: [secret] }), dedupe }).onAny(async () => {
        handled += 1
        await others.promise
      }),
    )
    const delivery = await signed(joined)
    const responses: [number | undefined, string | null | undefined][] = []
    const send = async (index: number) => {
      const response = await receivers[index % 2]?.handle(new Request('http://localhost', delivery))
      responses.push([response?.status, response?.headers.get('retry-after')])
      if (responses.length === 19) others.resolve()
    }
    await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)))
    expect(responses).toEqual([...Array.from({ length: 19 }, () => [409, '6']), [200, null]])
    await send(0)
    expect(responses.at(-1)).toEqual([200, null])
    expect(handled).toBe(1)
  })
}
