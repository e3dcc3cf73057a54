import { createMock } from '@wabakit/mock'
import { afterAll, expect, test } from 'vitest'
import { getStatus, malformedRequests, sendBytes } from '../../webhooks/test/malformed-requests.ts'

const mock = await createMock({ port: 0 })
const port = Number(new URL(mock.url).port)

afterAll(() => mock.close())

/** Returns the same fault with another path, if its request line has the root path. */
const at = (path: string, bytes: string): string =>
  bytes.replace(/^(\S+ (?:https?:\/\/[^/ ]*)?)\/ /, `$1${path} `)

const cases = malformedRequests.flatMap(({ name, fault, bytes }) =>
  [...new Set([bytes, at('/whatsapp/wa-group/create', bytes)])].map((variant) => ({
    name,
    fault,
    bytes: variant,
    line: variant.slice(0, 60).split('\r')[0],
  })),
)

test.each(cases)(
  'responds to $line ($name) in the same form as to any other error',
  async ({ fault, bytes }) => {
    const received = await sendBytes(port, bytes)

    const [head = ''] = received.split('\r\n\r\n', 1)
    const status = getStatus(received) ?? 0
    expect([400, 401, 404, 405, 431]).toContain(status)
    if (fault === 'target') expect(status).toBe(400)
    expect(head).toMatch(/\r\nx-request-id: req_\w+(?:\r\n|$)/i)
    if (bytes.startsWith('HEAD')) return
    expect(JSON.parse(/\{.*\}/s.exec(received)?.[0] ?? '')).toMatchObject({
      statusCode: status,
      code: expect.stringMatching(/^[a-z_]+$/),
    })
  },
)

test.each(['/', '/_wabakit/tenants'])('responds with 400 to two hosts in a request for %s', async (path) => {
  const received = await sendBytes(
    port,
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nhost: evil.example\r\n\r\n`,
  )
  expect(getStatus(received)).toBe(400)
})

test('records only the start of a body that is too large', async () => {
  const chunk = new TextEncoder().encode('x'.repeat(20_000))
  const body = new ReadableStream({
    start: (controller) => {
      for (let chunks = 0; chunks < 10; chunks++) controller.enqueue(chunk)
      controller.close()
    },
  })
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit
  await mock.fetch(new Request(`${mock.url}/whatsapp/wa-group/create`, init))
  expect(String(mock.requests.at(-1)?.body)).toBe('x'.repeat(80_000))
})

test('still responds to a client after all of that', async () => {
  const { groupId } = await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Team' })
  expect(groupId).toMatch(/^wagrp_/)
})
