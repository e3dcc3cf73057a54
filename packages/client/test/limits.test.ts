import type { Socket } from 'node:net'
import {
  BadRequestError,
  ConnectionError,
  OutcomeUnknownError,
  ResponseFormatError,
  TimeoutError,
} from '@wabakit/client'
import { expect, it } from 'vitest'
import { createTestClock } from './clock.ts'
import { createTestClient, getRejection, group } from './fixtures.ts'
import { sendJson, startService, startSockets } from './loopback.ts'

const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
const once = { retry: { limit: 0 } }

type Case = readonly [
  name: string,
  talk: (socket: Socket) => unknown,
  Cause: typeof TimeoutError | typeof ResponseFormatError,
]

const cases: readonly Case[] = [
  ['never responds', () => {}, TimeoutError],
  ['sends its headers slowly', (socket) => socket.write('HTTP/1.1 200 O'), TimeoutError],
  [
    'stops in the middle of the body',
    (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"success":'),
    ResponseFormatError,
  ],
]

it.each(cases)('gives up on a service that %s', async (_, talk, Cause) => {
  const service = await startSockets((socket) => socket.once('data', () => talk(socket)))
  const client = createTestClient(service.url, { ...once, timeoutMs: 250 })
  const before = countTimers()
  const read = await getRejection(client.calls.getSummary('c'))
  expect(read).toBeInstanceOf(TimeoutError)
  expect(read).toMatchObject({ code: 'timed_out', limit: 'timeoutMs', timeoutMs: 250, neverSent: false })
  expect((read as Error).message).toContain('got no complete response within timeoutMs (250 ms)')
  const write = await getRejection(client.groups.create(group))
  expect(write).toBeInstanceOf(OutcomeUnknownError)
  expect((write as Error).cause).toBeInstanceOf(Cause)
  expect(countTimers()).toBeLessThanOrEqual(before)
  await expect.poll(() => service.carrying.size).toBe(0)
})

it('retries a read after a timeout', async () => {
  const service = await startService((response, _, number) => {
    if (number === 3) sendJson(response, 404, {})
  })
  const client = createTestClient(service.url, { timeoutMs: 500, clock: createTestClock() })
  expect(await getRejection(client.calls.getSummary('c'))).toMatchObject({ status: 404 })
})

it('ends an attempt at the total time limit', async () => {
  const service = await startService(() => {})
  const error = await getRejection(
    createTestClient(service.url, { totalTimeoutMs: 40 }).calls.getSummary('c'),
  )
  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'totalTimeoutMs', timeoutMs: 40 })
})

it('names the total time limit if an attempt has the same', async () => {
  const service = await startService(() => {})
  const client = createTestClient(service.url, {
    ...once,
    timeoutMs: 40,
    totalTimeoutMs: 40,
    clock: createTestClock(),
  })
  expect(await getRejection(client.calls.getSummary('c'))).toMatchObject({
    name: 'TimeoutError',
    limit: 'totalTimeoutMs',
  })
})

it('gives up on a body whose stream ignores the signal, and cancels it', async () => {
  let cancelled = 0
  const cancel = () => {
    cancelled += 1
  }
  const fetch = async () => new Response(new ReadableStream({ cancel }))
  const error = await getRejection(
    createTestClient('https://a.example', { ...once, fetch, timeoutMs: 30 }).calls.getSummary('c'),
  )
  expect(error).toBeInstanceOf(TimeoutError)
  expect(cancelled).toBe(1)
})

it('applies the time limit to an auth function that hangs, and reports that nothing was sent', async () => {
  const service = await startService((response) => sendJson(response, 404, {}))
  const auth = () => new Promise<void>(() => {})
  const error = await getRejection(
    createTestClient(service.url, { ...once, timeoutMs: 30, auth }).groups.create(group),
  )
  expect(error).toMatchObject({ name: 'TimeoutError', neverSent: true })
  expect(service.requests).toEqual([])
})

it('rejects with a ConnectionError if a read is cut off before, in or after the headers', async () => {
  for (const words of [
    '',
    'HTTP/1.1 200 O',
    'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{',
    'SMTP ready\r\n\r\n',
  ]) {
    const service = await startSockets((socket) => socket.once('data', () => socket.end(words)))
    const error = await getRejection(createTestClient(service.url, once).calls.getSummary('c'))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ neverSent: false })
  }
})

it('keeps the class and the partial body of an error response that was cut off or never ends', async () => {
  const head = 'HTTP/1.1 400 Bad Request\r\ncontent-length: 99\r\n\r\n{"message"'
  const cut = await startSockets((socket) => socket.once('data', () => socket.end(head)))
  const dripping = await startSockets((socket) => socket.once('data', () => socket.write(head)))
  for (const service of [cut, dripping]) {
    const error = await getRejection(createTestClient(service.url, { timeoutMs: 500 }).groups.create(group))
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error).toMatchObject({ body: '{"message"' })
    await expect.poll(() => service.carrying.size).toBe(0)
  }
})
