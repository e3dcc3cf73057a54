import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { Writable } from 'node:stream'
import { healthEventNames } from '@wabakit/contract'
import { expect, onTestFinished, test } from 'vitest'
import { control, createGroup, listenForWebhooks, start } from './fixture.ts'
import { listenOnFreePort } from './listen-on-free-port.ts'

const raw = async (url: string, text: string): Promise<string> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
  })
  let answer = ''
  socket.on('data', (data) => {
    answer += data
  })
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  return answer
}

const logLines = () => {
  const lines: string[] = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(...String(chunk).split('\n').filter(Boolean))
      done()
    },
  })
  return { lines, stream }
}

const readMetrics = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text()

test('counts requests, events and attempts, and reports the age of the backlog', async () => {
  const { url, service } = await start()
  const endpoint = await listenForWebhooks()
  await service.subscriptions.create('acme', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: endpoint.url,
  })
  const startedAt = performance.now()
  await createGroup(url)
  await createGroup(url, { subject: '' })
  await endpoint.arrived(1)
  await service.dispatcher.runDue()
  const seconds = (performance.now() - startedAt) / 1_000

  const metrics = await readMetrics(url)

  for (const line of [
    'wabakit_http_request_duration_seconds_count{endpoint="groups.create",status="200"} 1',
    'wabakit_http_request_duration_seconds_count{endpoint="groups.create",status="400"} 1',
    'wabakit_events_total{event="GROUP_CREATED"} 1',
    'wabakit_delivery_attempts_total{outcome="delivered"} 1',
    'wabakit_delivery_attempt_duration_seconds_count{outcome="delivered"} 1',
    'wabakit_delivery_backlog_age_seconds 0',
    'wabakit_background_errors_total 0',
  ]) {
    expect(metrics.split('\n')).toContain(line)
  }
  expect(metrics).toContain('wabakit_event_loop_lag_seconds{percentile="99"}')
  const sums = [...metrics.matchAll(/^wabakit_\w+_duration_seconds_sum\{.*\} (.+)$/gm)].map(([, sum]) =>
    Number(sum),
  )
  expect(sums.length).toBe(3)
  for (const sum of sums) expect(sum).toBeLessThan(seconds)
})

test('a new server has these metrics, so that the first increase of a counter can cause an alert', async () => {
  const metrics = await readMetrics((await start()).url)
  const lines = metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const values = new Map(lines.map((line) => [line.replace(/ \S+$/, ''), Number(line.split(' ').at(-1))]))
  const ofProcess = ['process_resident_memory_bytes', 'process_cpu_seconds_total']
  for (const name of ofProcess) expect(values.get(name)).toBeGreaterThan(0)
  const lag = ['50', '99', '100'].map((each) => `wabakit_event_loop_lag_seconds{percentile="${each}"}`)
  for (const name of lag) expect(values.get(name)).toBeGreaterThanOrEqual(0)
  const zeros = [
    ...['exhausted', 'stale'].map((outcome) => `wabakit_delivery_attempts_total{outcome="${outcome}"}`),
    ...healthEventNames.map((event) => `wabakit_health_events_total{event="${event}"}`),
    'wabakit_background_errors_total',
    'wabakit_http_cut_connections_total',
    'wabakit_unstored_results',
    'wabakit_unreadable_deliveries',
    'wabakit_delivery_backlog_age_seconds',
    ...['due', 'later', 'waiting'].map((state) => `wabakit_deliveries{state="${state}"}`),
    ...['behind', 'failing', 'disabled'].map((state) => `wabakit_subscriptions{state="${state}"}`),
  ]
  expect(zeros.map((name) => values.get(name))).toEqual(zeros.map(() => 0))
  expect([...values.keys()].toSorted()).toEqual([...ofProcess, ...lag, ...zeros].toSorted())
})

test('logs requests with their ids, and nothing secret or personal', async () => {
  const { lines, stream } = logLines()
  const { url, service } = await start({ logLevel: 'debug', logFormat: 'json' }, { logStream: stream })
  const endpoint = await listenForWebhooks()
  await control({ url }, 'POST /organizations/acme/subscriptions', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: endpoint.url,
    headers: { 'x-token': 's3cret' },
    authorization: { token: 's3cret' },
  })
  const response = await createGroup(url, { description: 'private words' })
  await control({ url }, 'POST /organizations/acme/simulated-calls', { customerNumber: '+15550199777' })

  const requestId = response.headers.get('x-request-id')
  await endpoint.arrived(1)
  await service.dispatcher.runDue()

  const entries = lines.map((line) => JSON.parse(line))
  expect(entries).toContainEqual(
    expect.objectContaining({ requestId, method: 'POST', path: '/whatsapp/wa-group/create', status: 200 }),
  )
  expect(entries).toContainEqual(
    expect.objectContaining({ msg: 'event', event: expect.objectContaining({ to: '***77' }) }),
  )
  for (const secret of [
    'wk_test_key_0123456789',
    '15550199777',
    '15550100002',
    'private words',
    's3cret',
    'order',
  ]) {
    expect(lines.join('\n')).not.toContain(secret)
  }
})

test('logs only the beginning of long paths, and a few of many refused requests with the number of the others', async () => {
  const { lines, stream } = logLines()
  const { url } = await start({ logLevel: 'info', logFormat: 'json' }, { logStream: stream })
  await Promise.all(Array.from({ length: 100 }, () => fetch(`${url}/${'x'.repeat(10_000)}`)))

  const find = (message: string) => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message)
  const countAll = () =>
    find('further requests').reduce((sum, { count }) => sum + count, find('request').length)
  await expect.poll(countAll).toBe(100)

  expect(lines.join('\n').length).toBeLessThan(40_000)
  expect(find('request').length).toBeLessThan(100)
  const { body } = await control({ url }, 'GET /requests?limit=1000')
  expect(body.items.length).toBeLessThan(100)
  expect(body.items[0].path).toHaveLength(201)
})

test('lists the last 10,000 requests', async () => {
  const { url, service } = await start({ rateLimitPerAddress: 0 })
  for (let number = 0; number <= 10_000; number++)
    await service.fetch(new Request(`http://localhost/number-${number}.`))

  const count = async (path: string) =>
    (await control({ url }, `GET /requests?text=${path}`)).body.items.length
  expect([await count('number-0.'), await count('number-1.'), await count('number-10000.')]).toEqual([
    0, 1, 1,
  ])
})

test('logs at its stop how often an error was repeated', async () => {
  const { lines, stream } = logLines()
  const server = await start({ logLevel: 'error', logFormat: 'json' }, { logStream: stream })
  server.service.on('*', () => {
    throw new Error('a listener failed')
  })
  for (let number = 0; number < 3; number++) await (await createGroup(server.url)).text()
  await server.close()

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { err: { message: 'a listener failed' } },
    { msg: 'the error was repeated', count: 2 },
  ])
})

test("logs the first line of an endpoint's response to a failed attempt, escaped", async () => {
  const { lines, stream } = logLines()
  const { url, service } = await start({ logFormat: 'json', logLevel: 'info' }, { logStream: stream })
  const endpoint = createServer((request, response) => {
    request.resume()
    response.writeHead(401).end('timestamp 3600 s old\u001b[2J\u202e\nsecond line')
  })
  const origin = await listenOnFreePort(endpoint)
  await service.subscriptions.create('acme', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: `${origin}/`,
  })
  await createGroup(url)

  await expect.poll(() => lines.find((line) => line.includes('delivery attempt'))).toBeDefined()
  const line = lines.find((each) => each.includes('delivery attempt')) ?? ''
  expect(JSON.parse(line)).toMatchObject({
    status: 401,
    response: expect.stringMatching(/^timestamp 3600 s old/),
  })
  expect(line).not.toMatch(/second line|[\p{Cc}\p{Bidi_Control}]/u)
})

test('neither logs nor shows secrets repeated by an endpoint, and logs no personal data', async () => {
  const { lines, stream } = logLines()
  const { url, service } = await start({ logFormat: 'json', logLevel: 'info' }, { logStream: stream })
  const endpoint = await listenForWebhooks(({ headers, body }) => ({
    status: 500,
    body: `${headers.authorization} ${headers['x-token']} ${body}`,
  }))
  await service.subscriptions.create('acme', {
    channel: 'PSTN',
    number: '+15550100002',
    url: endpoint.url,
    headers: { 'x-token': 's3cret' },
    authorization: { username: 'ann', password: 's3cret' },
  })
  await control({ url }, 'POST /organizations/acme/simulated-calls', { customerNumber: '+15550199777' })
  await expect.poll(() => lines.find((line) => line.includes('delivery attempt'))).toBeDefined()

  expect(lines.join('\n')).not.toMatch(/s3cret|YW5uOnMzY3JldA|15550199777/)
  const [delivery] = (await service.deliveries.list('acme')).items
  const { body } = await control({ url }, `GET /organizations/acme/deliveries/${delivery?.id}/attempts`)
  expect(body.items[0].responseBody).toMatch(/^\[redacted] \[redacted] \{"event"/)
})

test('logs attempts and health events, but no URL of an endpoint, because it may contain a token', async () => {
  const { lines, stream } = logLines()
  const { url, service } = await start({ logFormat: 'json', logLevel: 'debug' }, { logStream: stream })
  let status = 410
  const endpoint = await listenForWebhooks(() => status)
  const { id: subscriptionId } = await service.subscriptions.create('acme', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: `${endpoint.url}?token=s3cret`,
  })
  await createGroup(url)
  await expect.poll(() => lines.find((line) => line.includes('subscription.disabled'))).toBeDefined()
  status = 200
  await service.subscriptions.update('acme', subscriptionId, { enabled: true })
  await createGroup(url)
  await expect.poll(() => lines.find((line) => line.includes('subscription.recovered'))).toBeDefined()

  expect(lines.join('\n')).not.toContain('s3cret')
  const entries = lines.map((line) => JSON.parse(line))
  const [gone, recovered] = (await service.deliveries.list('acme')).items
  const attempt = { msg: 'delivery attempt', subscriptionId, event: 'GROUP_CREATED', ms: expect.any(Number) }
  for (const expected of [
    { ...attempt, level: 'warn', deliveryId: gone?.id, eventId: gone?.eventId, outcome: 'gone', status: 410 },
    {
      ...{ ...attempt, level: 'debug', outcome: 'delivered', status: 200 },
      ...{ deliveryId: recovered?.id, eventId: recovered?.eventId },
    },
    { level: 'warn', msg: 'subscription.disabled', subscriptionId, disabledReason: 'gone' },
    { level: 'info', msg: 'subscription.recovered', subscriptionId },
  ])
    expect(entries).toContainEqual(expect.objectContaining(expected))
  expect(endpoint.arrivals[0]?.headers['user-agent']).toBe('wabakit/0.0.0')
})

test('answers 64 requests that arrive at once on a connection, and closes it instead of handling thousands', async () => {
  const { url } = await start()
  const request = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'
  const count = (answer: string) => answer.split('HTTP/1.1 200 OK').length - 1

  const answer = await raw(url, request.repeat(5_000))
  const last = await raw(
    url,
    request.repeat(63) + request.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'),
  )

  expect([count(answer), count(last)]).toEqual([64, 64])
  expect(answer.slice(answer.lastIndexOf('HTTP/1.1'))).toMatch(/connection: close/i)
})

const post = (target: string, ...headers: string[]): string => {
  const body = JSON.stringify({ wabaNumber: '+15550100001', subject: 'Team' })
  return [
    `POST ${target} HTTP/1.1`,
    'host: localhost',
    'connection: close',
    'content-type: application/json',
    `content-length: ${body.length}`,
    ...headers,
    '',
    body,
  ].join('\r\n')
}

test('does not accept a request with two keys, even if the first is valid', async () => {
  const { url } = await start()
  const keys = ['authorization: wk_test_key_0123456789', 'authorization: wk_other_key_0123456789']

  expect(await raw(url, post('/whatsapp/wa-group/create', ...keys))).toContain('"code":"invalid_api_key"')
})

test.each([
  ['/whatsapp/wa-group/create?a=/../b#c', 200],
  ['/whatsapp/wa-group/create#c', 200],
  ['/x/../whatsapp/./wa-group/create', 400],
  ['/whatsapp/wa-group/%2e%2e/wa-group/create', 400],
  ['//whatsapp/wa-group/create', 404],
  ['/whatsapp/wa-group/create/', 404],
  ['/whatsapp\\wa-group\\create', 400],
])('finds the endpoint of the target %s as URL does', async (target, status) => {
  const { url } = await start()

  const received = await raw(url, post(target, 'authorization: wk_test_key_0123456789'))

  expect(Number(received.slice(9, 12))).toBe(status)
})

test('leaves half of the connections to other addresses', async () => {
  const { url } = await start({ maxConnections: 4 })
  const open = async (localAddress: string) => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress })
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  await open('127.0.0.1')
  await open('127.0.0.1')
  await once(await open('127.0.0.1'), 'close')
  const other = await open('127.0.0.2')
  other.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')

  expect(String((await once(other, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /)
})

test('no longer counts connections that were closed', async () => {
  const { url } = await start({ maxConnections: 8 })
  const other = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void other.destroy())
  await once(other, 'connect')
  for (let round = 0; round < 12; round++)
    expect(await raw(url, 'GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 200 /,
    )
})

test('shows metrics without a token only to requests for this machine', async () => {
  const ask = async (url: string, host: string, token = '') => {
    const head = [
      'GET /metrics HTTP/1.1',
      `host: ${host}`,
      `authorization: Bearer ${token}`,
      'connection: close',
    ]
    return Number((await raw(url, `${head.join('\r\n')}\r\n\r\n`)).slice(9, 12))
  }
  const metricsToken = 'a-token-of-some-length'
  const open = await start()
  const withToken = await start({ metricsToken })
  const named = await start({ publicUrl: 'http://metrics.localhost:4100' })

  expect(await ask(open.url, 'rebound.example')).toBe(403)
  expect(await ask(open.url, '[::1]:4100')).toBe(200)
  expect(await ask(withToken.url, 'rebound.example', metricsToken)).toBe(200)
  expect(await ask(named.url, 'metrics.localhost:4100')).toBe(200)
})

test('creates no demo organization, with its key, if other machines can reach it', async () => {
  const exposed = { host: '0.0.0.0', controlToken: 'a-token-of-some-length', organizations: [] }
  const { demo, service } = await start(exposed)

  expect(demo).toBeUndefined()
  expect((await service.organizations.list()).items).toEqual([])
  await expect(start({ ...exposed, webhookUrl: 'https://receiver.example/' })).rejects.toThrow(
    /^webhookUrl \(--webhook-url\) is for the demo organization/,
  )
})

test('warns about a webhookUrl that has no effect, because there is no demo organization', async () => {
  const { lines, stream } = logLines()
  await start({ webhookUrl: 'http://127.0.0.1:9/', logLevel: 'warn' }, { logStream: stream })

  expect(lines).toEqual([expect.stringContaining('webhookUrl')])
})

test('refuses webhooks to private addresses if other machines can reach it', async () => {
  const server = await start({ host: '0.0.0.0', controlToken: 'a-token-of-some-length' })
  const subscribe = (url: string) =>
    server.service.subscriptions.create('acme', { channel: 'WHATSAPP', number: '+15550100001', url })

  await expect(subscribe('http://127.0.0.1:9/')).rejects.toThrow('https')
  const { id } = await subscribe('https://127.0.0.1:9/')
  await createGroup(server.url.replace('0.0.0.0', '127.0.0.1'))
  await server.service.dispatcher.runDue()

  const [delivery] = (await server.service.deliveries.list('acme', { subscriptionId: id })).items
  const [attempt] = await server.service.deliveries.attempts('acme', delivery?.id ?? '')
  expect(attempt).toMatchObject({
    status: null,
    error: expect.stringContaining('refused to connect to 127.0.0.1'),
  })
})
