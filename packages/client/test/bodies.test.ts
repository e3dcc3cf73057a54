import { type Fetch, ResponseFormatError } from '@wabakit/client'
import { fetch as undiciFetch } from 'undici'
import { expect, it } from 'vitest'
import { createTestClient, getRejection, group } from './fixtures.ts'
import { startService, startSockets } from './loopback.ts'
import { nodeFetch } from './node-fetch.ts'

const once = { retry: { limit: 0 } }
const fetches: readonly (readonly [string, Fetch])[] = [
  ['the global fetch', globalThis.fetch],
  ['undici.fetch', undiciFetch],
  ['node-fetch', nodeFetch],
]

it.each(fetches)('reads a character that two chunks of a body from %s share', async (_, fetch) => {
  const text = '{"success":true,"groupId":"g","note":"é€🎉"}'
  // Every byte is a chunk.
  const chunks = [...Buffer.from(text)].flatMap((byte) => [Buffer.from('1\r\n'), Buffer.of(byte, 13, 10)])
  const head = Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
  const service = await startSockets((socket) =>
    socket.once('data', () => socket.end(Buffer.concat([head, ...chunks, Buffer.from('0\r\n\r\n')]))),
  )
  const client = createTestClient(service.url, { fetch })
  expect(await client.groups.create(group)).toMatchObject({ note: 'é€🎉' })
})

it('keeps every character of an error body', async () => {
  const text = '{"message":"no 🎉 today 🎉"}'
  const service = await startService((response) => response.writeHead(400).end(text))
  expect(await getRejection(createTestClient(service.url).groups.create(group))).toMatchObject({ body: text })
})

it('drops a character that the limit of an error body splits', async () => {
  const service = await startService((response) => response.writeHead(400).end(`x${'é'.repeat(40_000)}`))
  const error = await getRejection(createTestClient(service.url).groups.create(group))
  expect(error).toMatchObject({ body: `x${'é'.repeat(32_767)}` })
})

it('drops a character that the connection cuts off', async () => {
  const service = await startSockets((socket) =>
    socket.once('data', () =>
      socket.end(
        Buffer.concat([Buffer.from('HTTP/1.1 400 No\r\ncontent-length: 99\r\n\r\nno '), Buffer.of(0xe2)]),
      ),
    ),
  )
  const error = await getRejection(createTestClient(service.url).groups.create(group))
  expect(error).toMatchObject({ name: 'BadRequestError', body: 'no ' })
})

it.each(fetches)('accepts a successful body of 1 MiB from %s, and no byte more', async (_, fetch) => {
  const text = '{"success":true,"groupId":"g"}'.padEnd(1_048_576)
  const service = await startService((response, __, number) => response.end(number === 1 ? text : `${text} `))
  const client = createTestClient(service.url, { fetch })
  expect(await client.groups.create(group)).toMatchObject({ groupId: 'g' })
  const { cause: error } = (await getRejection(client.groups.create(group))) as Error
  expect(error).toBeInstanceOf(ResponseFormatError)
  expect((error as Error).message).toMatch(/ returned 200 with a body over 1 MiB$/)
  expect(error).toMatchObject({ body: text.slice(0, 65_536), isComplete: true, issues: [] })
})

it('drops the half of a character at the end of a body in an error', async () => {
  const text = 'x'.repeat(65_535)
  const service = await startService((response) => response.end(`${text}😀`))
  const error = await getRejection(createTestClient(service.url).groups.create(group))
  expect(error).toMatchObject({ cause: { name: 'ResponseFormatError', body: text } })
})

it.each(fetches)('passes at most 64 KiB of an error body from %s to hooks', async (_, fetch) => {
  const service = await startService((response) => response.writeHead(400).end('x'.repeat(70_000)))
  const bodies: string[] = []
  const hooks = { afterResponse: ({ body }: { body: string }) => void bodies.push(body) }
  await getRejection(createTestClient(service.url, { fetch, hooks }).groups.create(group))
  expect(bodies).toEqual(['x'.repeat(65_536)])
})

it('leaves the body of the error empty if a body that is not a stream was cut off', async () => {
  const service = await startSockets((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 400 No\r\ncontent-length: 99\r\n\r\n{"message"')),
  )
  const client = createTestClient(service.url, { ...once, fetch: nodeFetch })
  expect(await getRejection(client.groups.create(group))).toMatchObject({
    name: 'BadRequestError',
    message: expect.stringMatching(/ returned 400: the body is empty$/),
    body: '',
  })
})
