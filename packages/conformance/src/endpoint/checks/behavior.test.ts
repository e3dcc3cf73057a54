import { expect, test } from 'vitest'
import { findStack } from './behavior.ts'

const exchange = (body: string) => ({
  request: { method: 'POST', headers: {}, body: new Uint8Array() },
  status: 500,
  headers: {},
  body,
  error: undefined,
  timedOut: false,
  connected: true,
  durationMs: 1,
})

test.each([
  'Error: no\n    at handle (/app/server.js:10:5)',
  '{"stack":"Error\\n at handle (/app/server.js:10:5)"}',
  'Traceback (most recent call last)\n  File "/app/main.py", line 3',
  'goroutine 7 [running]',
])('finds the stack trace in %j', (body) => {
  expect(findStack(exchange(body))).toBeDefined()
})

test.each([
  `at ${':('.repeat(30_000)}`,
  '\n'.repeat(60_000),
  `File "${'"'.repeat(60_000)}`,
  ' '.repeat(60_000),
])('takes no longer for a body that almost matches everywhere', (body) => {
  const startedAt = process.cpuUsage()
  expect(findStack(exchange(body))).toBeUndefined()
  expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(2_000)
})
