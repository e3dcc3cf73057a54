import { createReceiver, type Dedupe, standardWebhooks } from '@wabakit/webhooks'
import { beforeEach, expect, it, vi } from 'vitest'
import { joined, secret, signed } from './signed.ts'

/** Two handles on one store, as two processes have them; whose completed keys live for `ttlMs`. */
export type DedupePair = (ttlMs: number) => Promise<readonly [Dedupe, Dedupe]>

const newKey = () => `key ${process.hrtime.bigint()} ünïque`

/** What every dedupe store must do. */
export const dedupeCases = (pair: DedupePair): void => {
  let first: Dedupe
  let second: Dedupe
  beforeEach(async () => {
    ;[first, second] = await pair(60_000)
  })

  it('lets one claim a key, and tells the others that it is in progress', async () => {
    const key = newKey()
    expect(await first.claim(key, 60_000)).toBe('claimed')
    expect(await first.claim(key, 60_000)).toBe('in_progress')
    expect(await second.claim(key, 60_000)).toBe('in_progress')
    expect(await second.claim(newKey(), 60_000)).toBe('claimed')
  })

  it('calls a completed key a duplicate', async () => {
    const key = newKey()
    await first.claim(key, 60_000)
    await first.complete(key)
    expect(await first.claim(key, 60_000)).toBe('duplicate')
    expect(await second.claim(key, 60_000)).toBe('duplicate')
  })

  it('lets a released key be claimed again', async () => {
    const key = newKey()
    await first.claim(key, 60_000)
    await first.release(key)
    expect(await second.claim(key, 60_000)).toBe('claimed')
  })

  it('lets exactly one of many claim a key at the same moment', async () => {
    const key = newKey()
    const claims = Array.from({ length: 40 }, (_, index) => (index % 2 ? first : second).claim(key, 60_000))
    const outcomes = await Promise.all(claims)
    expect(outcomes.filter((outcome) => outcome === 'claimed')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'in_progress')).toHaveLength(39)
  })

  it('lets a key be claimed again when the claim of a holder that died expires', async () => {
    const key = newKey()
    await first.claim(key, 50)
    expect(await second.claim(key, 60_000)).toBe('in_progress')
    await vi.waitFor(async () => expect(await second.claim(key, 60_000)).toBe('claimed'))
    expect(await first.claim(key, 60_000)).toBe('in_progress')
  })

  it('keeps a completed key although its claim would have expired', async () => {
    const [key, later] = [newKey(), newKey()]
    await first.claim(key, 20)
    await first.complete(key)
    await first.claim(later, 20)
    await vi.waitFor(async () => expect(await second.claim(later, 20)).toBe('claimed'))
    expect(await second.claim(key, 20)).toBe('duplicate')
  })

  it('forgets a completed key after its time', async () => {
    const [short] = await pair(20)
    const key = newKey()
    await short.claim(key, 60_000)
    await short.complete(key)
    await vi.waitFor(async () => expect(await short.claim(key, 60_000)).toBe('claimed'))
  })

  it('has a receiver handle a delivery once, however often it is replayed at the same moment', async () => {
    let handled = 0
    const others = Promise.withResolvers<void>()
    const receivers = [first, second].map((dedupe) =>
      createReceiver({ verify: standardWebhooks({ secrets: [secret] }), dedupe }).onAny(async () => {
        handled += 1
        await others.promise
      }),
    )
    const delivery = await signed(joined)
    const answers: [number | undefined, string | null | undefined][] = []
    const send = async (index: number) => {
      const response = await receivers[index % 2]?.handle(new Request('http://localhost', delivery))
      answers.push([response?.status, response?.headers.get('retry-after')])
      if (answers.length === 19) others.resolve()
    }
    await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)))
    expect(answers).toEqual([...Array.from({ length: 19 }, () => [409, '1']), [200, null]])
    await send(0)
    expect(answers.at(-1)).toEqual([200, null])
    expect(handled).toBe(1)
  })
}
