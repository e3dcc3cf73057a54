import { expect, test } from 'vitest'
import { explainLimitOnce, judgeAccepted } from './judge.ts'
import { createKnowledge } from './knowledge.ts'
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

const failAt = (status: number, body: string) => {
  const { label, exchange } = attempt(status)
  const request = { ...exchange.request, body: Buffer.from(body) }
  return judgeAccepted([{ label, exchange: { ...exchange, request } }])
}

test.each(['{"recap":"Grüße"}', '{"recap":"Gr\\u00fc\\u00dfe"}'])(
  'a failure at %s may follow from its letters',
  (body) => {
    expect(failAt(500, body)).toMatchObject({ verdict: 'fail', because: 'keeps-every-letter' })
  },
)

test.each([
  [401, '{"recap":"Grüße"}'],
  [400, '{"recap":"Grüße"}'],
  [500, '{"recap":"\\u0047r"}'],
])('%i to %s does not follow from letters beyond ASCII', (status, body) => {
  expect(failAt(status, body)).toEqual({ verdict: 'fail', observed: `${status} to a genuine delivery` })
})

test('a rate limit proves nothing', () => {
  expect(judgeAccepted([attempt(429) as never])).toMatchObject({
    verdict: 'inconclusive',
    observed: expect.stringContaining('limits the rate'),
  })
})

test('a refusal fails, although a rate limit hit other deliveries, and the report groups them by response', () => {
  const attempts = [429, 400, 400].map((status, index) => ({
    ...attempt(status),
    label: `delivery ${index}`,
  }))
  expect(judgeAccepted(attempts as never)).toEqual({
    verdict: 'fail',
    observed: '429 to delivery 0; 400 to delivery 1, delivery 2',
  })
})

test('the first finding about a rate limit explains it, and the later ones refer to that', () => {
  const knowledge = createKnowledge()
  const { observed } = judgeAccepted([attempt(429) as never])
  expect(explainLimitOnce('200', { id: 'accepts-genuine', knowledge })).toBe('200')
  expect(explainLimitOnce(observed, { id: 'survives-burst', knowledge })).toBe(observed)
  const later = explainLimitOnce(observed, { id: 'refuses-get', knowledge })
  expect(later).toBe('429 to a genuine delivery; see survives-burst')
})
