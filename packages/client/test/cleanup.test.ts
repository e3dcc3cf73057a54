import { getEventListeners } from 'node:events'
import { createClient } from '@wabakit/client'
import { expect, test } from 'vitest'
import { apiKey, group, summary } from './fixtures.ts'
import { sendJson, startService } from './loopback.ts'

const countTimers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

test('twenty calls that end in any way leave no timer, and no listener on a signal that they share', async () => {
  const failed = new Set<string>()
  const service = await startService((response, { url }) => {
    if (url.includes('never')) return
    // Each of these calls succeeds with its second attempt.
    if (url.includes('again') && !failed.has(url)) {
      failed.add(url)
      return sendJson(response, 503, { code: 'storage_unavailable' })
    }
    if (url.includes('pending')) return sendJson(response, 202, { code: 'summary_pending' })
    if (url.includes('create')) return sendJson(response, 200, { success: true, groupId: 'g-1' })
    return sendJson(response, 200, {
      callId: new URL(url, 'http://service').searchParams.get('callId'),
      summary,
    })
  })
  const retry = { backoffMs: [1, 1] } as const
  const client = createClient({ baseUrl: service.url, apiKey, retry, totalTimeoutMs: 60_000 })
  const shared = new AbortController()
  const { signal } = shared
  const ignore = () => {}
  const cycle = async (round: number): Promise<void> => {
    const own = new AbortController()
    const aborted = client.calls.getSummary('never', { signal: AbortSignal.any([signal, own.signal]) })
    const waiting = client.calls.waitForSummary('pending', { signal, maxWaitMs: 20 })
    setImmediate(() => own.abort())
    await Promise.all([
      aborted.catch(ignore),
      waiting.catch(ignore),
      client.calls.getSummary('never', { signal, timeoutMs: 10 }).catch(ignore),
      client.calls.getSummary(`again-${round}`, { signal }),
      client.groups.create(group, { signal }),
    ])
  }
  await cycle(0)
  await expect.poll(countTimers).toBeLessThan(10)
  const before = countTimers()
  for (let round = 1; round <= 20; round++) await cycle(round)

  expect(getEventListeners(signal, 'abort').length).toBe(0)
  // One timer belongs to expect.poll.
  await expect.poll(countTimers).toBeLessThanOrEqual(before + 1)
})
