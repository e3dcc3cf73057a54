import { expect, test } from 'vitest'
import { judgeAccepted } from './judge.ts'
import type { Exchange } from './send.ts'

const attempt = (status: number, headers: Exchange['headers'] = {}) => ({
  label: 'a genuine delivery',
  exchange: {
    request: { method: 'POST', headers: {}, body: new Uint8Array() },
    status,
    headers,
    body: '',
    error: undefined,
    timedOut: false,
    connected: true,
    durationMs: 1,
  },
  delivery: { id: 'd', subject: 's', body: Buffer.alloc(0), timestamp: 0 },
})

const html = { 'content-type': 'text/html; charset=UTF-8' }

test.each([
  [403, { ...html, server: 'cloudflare' }],
  [403, { ...html, 'cf-mitigated': 'challenge' }],
  [406, { ...html, 'x-sucuri-id': '11' }],
])('a page of a firewall (%i, %j) proves nothing, and the report says so', (status, headers) => {
  const finding = judgeAccepted([attempt(status, headers) as never])
  expect(finding).toMatchObject({
    verdict: 'inconclusive',
    observed: expect.stringContaining('a firewall has answered instead'),
  })
})

test.each([
  [403, { 'content-type': 'application/json', server: 'cloudflare' }],
  [403, html],
  [500, { ...html, server: 'cloudflare' }],
])('a refusal of the endpoint itself (%i, %j) fails', (status, headers) => {
  expect(judgeAccepted([attempt(status, headers) as never]).verdict).toBe('fail')
})

test('a rate limit proves nothing', () => {
  expect(judgeAccepted([attempt(429) as never])).toMatchObject({
    verdict: 'inconclusive',
    observed: expect.stringContaining('limits the rate'),
  })
})
