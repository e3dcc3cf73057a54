import { bearerAuth, createReceiver, memoryDedupe, parseEvent } from '@wabakit/webhooks'
import { expect, test } from 'vitest'
import { callSamples, groupSamples, otherSamples } from './published-samples.ts'

const credentials = { authorization: 'Bearer example-token', 'content-type': 'application/json' }
const post = (body: object | string, headers: Record<string, string> = credentials) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return new Request('http://localhost/webhook?source=calls', { method: 'POST', headers, body: text })
}

const record = () => {
  const verify = bearerAuth({ token: 'example-token' })
  const names: (string | undefined)[] = []
  const receiver = createReceiver({ verify, dedupe: memoryDedupe() })
    .onAny(({ event }) => names.push(event))
    .onUnknown(({ name }) => names.push(name))
    .onError(() => {})
  return { names, receiver }
}

test.each(groupSamples)('a published %s is an event, with all of its fields: %o', (name, body) => {
  const recognizedBy = 'event' in body ? 'event' : 'shape'
  expect(parseEvent(body)).toEqual({ kind: 'event', event: { event: name, ...body }, recognizedBy })
})

test.each(callSamples)('a published %s is an event, with all of its fields: %o', (event, fields) => {
  expect(parseEvent({ event, ...fields })).toEqual({
    kind: 'event',
    event: { event, ...fields },
    recognizedBy: 'event',
  })
})

test.each(otherSamples)(
  'another event is unknown, and each repeat reaches the handler: %s',
  async (name, body) => {
    const { names, receiver } = record()
    for (const request of [post(body), post(body)]) expect((await receiver.handle(request)).status).toBe(200)
    expect(names).toEqual([name, name])
  },
)

test('a GET and a form get the status and the words to register again', async () => {
  const { names, receiver } = record()
  const get = new Request('http://localhost/webhook?event=CALL_MISSED&callId=call_3Qm7', {
    headers: credentials,
  })
  const headers = { ...credentials, 'content-type': 'application/x-www-form-urlencoded' }
  for (const [request, status] of [
    [get, 405],
    [post('event=CALL_MISSED&callId=call_3Qm7', headers), 415],
  ] as const) {
    const response = await receiver.handle(request)
    expect(response.status).toBe(status)
    expect((await response.json()).message).toContain('the method POST and the body format JSON')
  }
  expect(names).toEqual([])
})
