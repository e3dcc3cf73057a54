import { createReceiver, type Receiver, standardWebhooks } from '@wabakit/webhooks'
import { type LambdaEvent, toLambdaHandler } from '@wabakit/webhooks/lambda'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { malformedRequests } from '../malformed-requests.ts'
import { secret, signed, summary } from '../signed.ts'
import { recording } from './framework-cases.ts'

type Delivery = Awaited<ReturnType<typeof signed>>
const base64 = (body: string) => ({ body: Buffer.from(body).toString('base64'), isBase64Encoded: true })
const arrays = (headers: object) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
const upperCase = (headers: object) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))

/** The form of an event by its source. A load balancer with multi-value headers reads no others from the result. */
const forms: Record<string, (delivery: Delivery) => LambdaEvent> = {
  'API Gateway, payload 1.0': ({ body, headers }) => ({
    httpMethod: 'POST',
    path: '/prod/webhooks',
    headers: upperCase(headers),
    multiValueHeaders: arrays(upperCase(headers)),
    body,
    isBase64Encoded: false,
  }),
  'API Gateway, payload 2.0': ({ body, headers }) => ({
    rawPath: '/webhooks',
    rawQueryString: 'a=b',
    headers,
    requestContext: { http: { method: 'POST' } },
    body,
    isBase64Encoded: false,
  }),
  'a function URL': ({ body, headers }) => ({
    rawPath: '/',
    rawQueryString: '',
    headers,
    requestContext: { http: { method: 'POST' } },
    ...base64(body),
  }),
  'a load balancer': ({ body, headers }) => ({
    requestContext: { elb: { targetGroupArn: 'arn:x' } },
    httpMethod: 'POST',
    path: '/webhooks',
    queryStringParameters: {},
    headers,
    ...base64(body),
  }),
  'a load balancer with multi-value headers': ({ body, headers }) => ({
    requestContext: { elb: { targetGroupArn: 'arn:x' } },
    httpMethod: 'POST',
    path: '/webhooks',
    multiValueQueryStringParameters: {},
    multiValueHeaders: arrays(headers),
    body,
    isBase64Encoded: false,
  }),
}

it('passes on the URL and the headers of an event, whichever of its properties are missing', async () => {
  const seen: [url: string, headers: object, body: string][] = []
  const handler = toLambdaHandler({
    handle: async (request) => {
      seen.push([request.url, Object.fromEntries(request.headers), await request.text()])
      return new Response()
    },
  })
  await handler({ rawPath: '/a', rawQueryString: 'b=c', body: 'body', headers: { a: '1', b: undefined } })
  await handler({ path: '/d', requestContext: {}, body: null, headers: null })
  await handler({ multiValueHeaders: { a: ['1', '2'], b: undefined }, headers: { a: '2', b: '3' } })
  expect(seen).toEqual([
    ['https://lambda.invalid/a?b=c', { a: '1' }, 'body'],
    ['https://lambda.invalid/d', {}, ''],
    ['https://lambda.invalid/', { a: '1, 2' }, ''],
  ])
})

it('passes on the query of an event of API Gateway 1.0, and of a load balancer', async () => {
  const verify = ({ url }: { url: string }) => new URL(url).searchParams.getAll('t').join() === 'a b&c,d'
  const receiver = createReceiver({ verify })
  const handler = toLambdaHandler(receiver)
  const respond = async (event: LambdaEvent) => (await handler({ body: '{}', ...event })).statusCode
  const query = { multiValueQueryStringParameters: { t: ['a b&c', 'd'], u: undefined } }
  expect(await respond({ ...query, queryStringParameters: { t: 'd' } })).toBe(200)
  expect(await respond({ queryStringParameters: { t: 'a b&c,d' } })).toBe(200)
  expect(await respond({ queryStringParameters: null, multiValueQueryStringParameters: null })).toBe(401)
  const requestContext = { elb: {} }
  expect(await respond({ requestContext, queryStringParameters: { t: 'a+b%26c%2Cd' } })).toBe(200)
  const multiple = { multiValueQueryStringParameters: { t: ['a%20b%26c', 'd'] } }
  expect(await respond({ requestContext, ...multiple })).toBe(200)
})

it.each(
  Object.entries({
    'messages of SQS': {
      Records: [{ messageId: '1', body: JSON.stringify(summary), eventSource: 'aws:sqs' }],
    },
    'a schedule of EventBridge': { source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} },
    'a message of a WebSocket': { requestContext: { connectionId: '1', eventType: 'MESSAGE' }, body: '{}' },
    'no event': null,
  }),
)('rejects %s instead of returning a response, which would delete a message', async (_, event) => {
  const { receiver, events } = recording()
  const handler: (event: never) => Promise<unknown> = toLambdaHandler(receiver)
  await expect(handler(event as never)).rejects.toThrow(
    /^toLambdaHandler\(\) takes HTTP events .*receiver\.accept\(/,
  )
  expect(events).toEqual([])
})

it.each(
  Object.entries({
    'as text': (body: string) => ({ rawBody: body }),
    'as it arrived, in base64': (body: string) => ({ rawBody: base64(body).body, isBase64Encoded: true }),
    'decoded, of a body in base64': (body: string) => ({ rawBody: body, isBase64Encoded: true }),
  }),
)('verifies the unparsed body that middleware has kept %s', async (_, keep) => {
  const { receiver, events } = recording()
  const delivery = await signed(summary)
  const event = {
    httpMethod: 'POST',
    headers: delivery.headers,
    body: JSON.parse(delivery.body),
    ...keep(delivery.body),
  }
  expect((await toLambdaHandler(receiver)(event)).statusCode).toBe(200)
  expect(events).toEqual([summary])
})

describe.each(Object.entries(forms))('a Lambda behind %s', (source, form) => {
  /** The headers that this source reads from a result. */
  const readHeaders = (result: Awaited<ReturnType<ReturnType<typeof toLambdaHandler>>>) =>
    source === 'a load balancer with multi-value headers' ? result.multiValueHeaders : arrays(result.headers)

  it('receives a signed event with all its characters', async () => {
    const { receiver, events } = recording()
    const result = await toLambdaHandler(receiver)(form(await signed(summary)))
    expect(result).toMatchObject({ statusCode: 200, headers: {}, body: '', isBase64Encoded: false })
    expect(readHeaders(result)).toEqual({})
    expect(events).toEqual([summary])
  })

  it('rejects a forged event', async () => {
    const delivery = await signed(summary)
    const forged = form({ ...delivery, body: delivery.body.replace('42', '43') })
    const result = await toLambdaHandler(recording().receiver)(forged)
    expect([result.statusCode, readHeaders(result), JSON.parse(result.body).code]).toEqual([
      401,
      { 'content-type': ['application/json'] },
      'no_matching_signature',
    ])
  })

  it('asks the sender to wait while the store is down', async () => {
    const dedupe = { claim: () => Promise.reject(new Error('down')) }
    const verify = standardWebhooks({ secrets: [secret] })
    const receiver = createReceiver({ verify, dedupe })
      .onAny(() => {})
      .onError(() => {})
    const result = await toLambdaHandler(receiver)(form(await signed(summary)))
    expect([result.statusCode, readHeaders(result)?.['retry-after']]).toEqual([503, ['5']])
  })
})

describe('a Lambda function', () => {
  it('responds 405 to GET and 401 to a request without anything', async () => {
    const handler = toLambdaHandler(recording().receiver)
    expect((await handler({ httpMethod: 'GET', path: '/' })).statusCode).toBe(405)
    expect((await handler({ headers: null, multiValueHeaders: null, body: null })).statusCode).toBe(401)
  })

  const statuses = { method: 405, target: 400, nothing: 401 }
  const events = malformedRequests.flatMap(({ name, fault, bytes }) => {
    // API Gateway does not pass on broken requests or bodies.
    if (fault === 'syntax' || fault === 'body') return []
    const [line = '', ...fields] = bytes.slice(0, bytes.indexOf('\r\n\r\n')).split('\r\n')
    const [method = '', target = ''] = line.split(' ')
    const headers = Object.fromEntries(fields.map((field) => field.split(/: ?(.*)/s).slice(0, 2)))
    const status = statuses[fault]
    return [
      { name, status, event: { httpMethod: method, path: target, headers } },
      { name, status, event: { rawPath: target, requestContext: { http: { method } }, body: '{}' } },
    ]
  })

  it.each(events)('responds $status to $name, and never rejects', async ({ status, event }) => {
    expect((await toLambdaHandler(recording().receiver)(event)).statusCode).toBe(status)
  })

  it('responds 400 to an event with a header that Fetch rejects', async () => {
    const handler = toLambdaHandler(recording().receiver)
    for (const headers of [{ 'x y': 'z' }, { x: 'a\nb' }]) {
      expect((await handler({ httpMethod: 'POST', path: '/', headers })).statusCode).toBe(400)
    }
  })

  it('explains a body that a middleware has parsed', async () => {
    const { receiver, errors } = recording()
    const { headers, body } = await signed(summary)
    for (const isBase64Encoded of [false, true]) {
      const event = { httpMethod: 'POST', path: '/', headers, body: JSON.parse(body), isBase64Encoded }
      const result = await toLambdaHandler(receiver)(event)
      expect([result.statusCode, JSON.parse(result.body).code]).toEqual([400, 'body_was_parsed'])
      expect(JSON.parse(result.body).message).toContain('event.rawBody on Lambda')
    }
    expect(errors).toMatchObject([{ code: 'body_was_parsed' }, { code: 'body_was_parsed' }])
  })

  it('responds 500 when the receiver rejects, and ignores failures in waitUntil', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => log.mockRestore())
    const rejecting = toLambdaHandler({ handle: () => Promise.reject(new Error('not ours')) })
    expect((await rejecting({ path: '/' })).statusCode).toBe(500)
    const failingLater: Receiver['handle'] = async (_, host) => {
      Object(host).waitUntil(Promise.reject(new Error('late')))
      return new Response(null, { status: 200 })
    }
    expect((await toLambdaHandler({ handle: failingLater })({ path: '/' })).statusCode).toBe(200)
  })

  it.each([undefined, () => {}])(
    'finishes the work after an early response before it is frozen, whether or not the receiver has waitUntil',
    async (waitUntil) => {
      const steps: string[] = []
      const verify = standardWebhooks({ secrets: [secret] })
      const receiver = createReceiver({ verify, ack: 'before', waitUntil }).onAny(async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        steps.push('handled')
      })
      await toLambdaHandler(receiver)({ httpMethod: 'POST', path: '/', ...(await signed(summary)) })
      expect(steps).toEqual(['handled'])
    },
  )
})
