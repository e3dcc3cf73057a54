import { ConnectionError } from '@wabakit/client'
import { expect, it } from 'vitest'
import { createTestClient, getRejection, group } from './fixtures.ts'

/** Nests errors: the first message is the outermost one. */
const nest = ([message, ...inner]: readonly string[]): Error | undefined =>
  message === undefined ? undefined : new Error(message, { cause: nest(inner) })

const endless = new Error('no way out')
endless.cause = endless

it.each([
  ['its innermost cause', nest(['fetch failed', 'tunnel failed', 'proxy refused']), 'proxy refused'],
  ['its fourth cause, and none further in', nest(['a', 'b', 'c', 'd', 'e', 'f']), 'e'],
  ['itself if it is its own cause', endless, 'no way out'],
  ['its message if its cause is not an error', new Error('outer', { cause: 'inner' }), 'outer'],
  [
    'its code if it has no message',
    Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
    'ECONNREFUSED',
  ],
  ['its name if it has neither message nor code', new RangeError(), 'RangeError'],
  ['a text', 'offline', 'offline'],
  ['null', null, 'null'],
])('a failure of fetch is described by %s', async (_, reason, words) => {
  const client = createTestClient('https://a.example', {
    fetch: () => Promise.reject(reason),
    retry: { limit: 0 },
  })
  const error = await getRejection(client.calls.getSummary('c'))
  expect(error).toBeInstanceOf(ConnectionError)
  expect((error as Error).message).toBe(
    `GET https://a.example/v1/call/ai-summary?callId=c got no complete response: ${words}`,
  )
})

it('says that nothing was sent to a port that fetch blocks', async () => {
  const client = createTestClient('http://127.0.0.1:6000', { retry: { limit: 0 } })
  expect(await getRejection(client.groups.create(group))).toMatchObject({
    name: 'ConnectionError',
    neverSent: true,
    message: expect.stringMatching(/: bad port$/),
  })
})
