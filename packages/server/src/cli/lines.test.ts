import { expect, test } from 'vitest'
import { formatAttempt, formatEvent } from './lines.ts'
import { createOutput } from './output.ts'

const injected = '\u001b[2J\u009b1A\u202e\n12:00:00 --> FORGED'
const output = createOutput({ format: 'pretty' })
const about = { eventName: 'CALL_ENDED', subject: 'call:c1' }
const colors = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g')

test('an event is printed on one line, whatever the server sends', () => {
  const line = formatEvent(output, { name: injected, id: injected })

  expect(line.replace(colors, '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  expect(line).toContain('\\u000a12:00:00 --> FORGED')
})

test("a health event's line contains the endpoint and its response", () => {
  const data = {
    subscriptionId: 'sub_1',
    url: 'https://a.example/',
    lastResponse: { status: 503, error: null },
  }
  const event = { name: 'subscription.failing', id: 'hlt_1', channel: 'OPERATIONS' }
  const line = formatEvent(output, { ...event, payload: JSON.stringify({ data }) })

  expect(line.replace(colors, '')).toMatch(/--> subscription\.failing sub_1 https:\/\/a\.example\/ 503$/)
})

test('an attempt is printed on one line, whatever the endpoint responds', () => {
  const attempt = { status: null, error: injected, response: null, url: injected, durationMs: 1, ...about }
  const line = formatAttempt(output, attempt)

  expect(line.replace(colors, '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  expect(line.match(/FORGED/g)).toHaveLength(2)
})

test("a rejected attempt's line ends with the endpoint's response, on one line", () => {
  const attempt = { status: 401, error: null, url: 'http://127.0.0.1/', durationMs: 1, ...about }
  const line = formatAttempt(output, { ...attempt, response: `timestamp 3600 s old${injected}` })

  expect(line.replace(colors, '')).toMatch(
    /\[401\] CALL_ENDED call:c1 http:\/\/127\.0\.0\.1\/ 1 ms timestamp 3600 s old\\u001b/,
  )
  expect(line.replace(colors, '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
})

test('a line shows a URL without its query, which may hold a secret', () => {
  const url = 'http://127.0.0.1/hooks?token=not-for-the-screen'
  const line = formatAttempt(output, {
    status: 200,
    error: null,
    response: null,
    url,
    durationMs: 1,
    ...about,
  })

  expect(line.replace(colors, '')).toMatch(/ http:\/\/127\.0\.0\.1\/hooks\?… 1 ms$/)
})
