import { tracingChannel } from 'node:diagnostics_channel'
import { afterEach, expect, test, vi } from 'vitest'
import { findTracingChannel } from './tracing.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

test('finds the tracing channel with a name', () => {
  const handlers = { start() {}, end() {}, asyncStart() {}, asyncEnd() {}, error() {} }
  const channel = tracingChannel('wabakit.test')
  expect(findTracingChannel('wabakit.test')?.hasSubscribers).toBe(false)
  channel.subscribe(handlers)
  expect(findTracingChannel('wabakit.test')?.hasSubscribers).toBe(true)
  expect(findTracingChannel('wabakit.other')?.hasSubscribers).toBe(false)
  channel.unsubscribe(handlers)
})

test.each([
  ['process', undefined],
  ['getBuiltinModule', {}],
  ['node:diagnostics_channel', { getBuiltinModule: () => undefined }],
  ['tracing channels', { getBuiltinModule: () => ({}) }],
])('there is no tracing channel in a runtime without %s', (_, process) => {
  vi.stubGlobal('process', process)
  const channel = findTracingChannel('wabakit.test')
  vi.unstubAllGlobals()
  expect(channel).toBeUndefined()
})
