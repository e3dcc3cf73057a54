import { createServer, type LookupFunction, type Server, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { createTransport, type TransportOptions } from './transport.ts'

const opened: Array<() => unknown> = []

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

/** Starts a TCP server that calls `onRequest` with each complete request. */
const listen = async (
  onRequest: (socket: Socket) => void,
): Promise<{ port: number; server: Server; seen: string[] }> => {
  const sockets = new Set<Socket>()
  const seen: string[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let request = ''
    socket.on('data', (data) => {
      request += data.toString()
      if (!request.endsWith('}')) return
      seen.push(request)
      request = ''
      onRequest(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { port: address.port, server, seen }
}

const answering = (response: string) => listen((socket) => socket.write(response))

const open = (options: Partial<TransportOptions> = {}) => {
  const transport = createTransport({ allowPrivateTargets: true, ...options })
  opened.push(() => transport.close())
  return {
    send: async ({ url, ...request }: ReturnType<typeof webhook>) => {
      const { status, headers, body } = await transport.fetch(url, request)
      return { status, retryAfter: headers.get('retry-after'), body }
    },
  }
}

const webhook = (url: string, timeoutMs = 5_000) => ({
  url,
  headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' },
  body: '{"event":"GROUP_CREATED"}',
  signal: AbortSignal.timeout(timeoutMs),
})

const answersTo =
  (answer: string | { address: string; family: number }[]): LookupFunction =>
  (_name, options, callback) => {
    const all = typeof answer === 'string' ? [{ address: answer, family: 4 }] : answer
    if (options.all === true) callback(null, all)
    else callback(null, all[0]?.address ?? '', all[0]?.family ?? 4)
  }

test('sends the body and the headers unchanged', async () => {
  const { port, seen } = await answering('HTTP/1.1 204 No Content\r\n\r\n')

  const answer = await open().send(webhook(`http://127.0.0.1:${port}/hooks?from=us`))

  expect(answer).toEqual({ status: 204, retryAfter: null, body: '' })
  expect(seen.join('')).toMatch(/^POST \/hooks\?from=us HTTP\/1\.1\r\n/)
  expect(seen.join('')).toContain('webhook-id: evt_1\r\n')
  expect(seen.join('')).toContain('\r\n\r\n{"event":"GROUP_CREATED"}')
})

test('reuses connections, and limits each of their responses, not all together', async () => {
  const body = 'x'.repeat(60_000)
  const { port, server } = await answering(`HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n${body}`)
  let connections = 0
  server.on('connection', () => connections++)
  const transport = open()

  for (let time = 0; time < 40; time++) await transport.send(webhook(`http://127.0.0.1:${port}/`))

  // A second connection opens while the first becomes ready again.
  expect(connections).toBeLessThanOrEqual(2)
})

test('ends an attempt without a response in time', async () => {
  const { port } = await listen(() => {})

  await expect(open().send(webhook(`http://127.0.0.1:${port}/`, 200))).rejects.toThrow('timeout')
})

test('ends an attempt whose response arrives too slowly', async () => {
  const { port } = await listen((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
    const timer = setInterval(() => socket.write('.'), 20)
    socket.on('close', () => clearInterval(timer))
  })

  await expect(open().send(webhook(`http://127.0.0.1:${port}/`, 300))).rejects.toThrow('timeout')
})

test('stops reading an endless response, closes the connection and returns the status', async () => {
  let written = 0
  const { port, server } = await listen((socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write('x'.repeat(16_384))) written += 16_384
    }
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    socket.on('drain', more)
    more()
  })
  const closed = new Promise((resolve) =>
    server.once('connection', (socket) => socket.once('close', resolve)),
  )

  const answer = await open().send(webhook(`http://127.0.0.1:${port}/`))

  await closed
  expect(answer).toMatchObject({ status: 200, body: expect.stringMatching(/^x{1,65536}$/) })
  expect(written).toBeLessThan(20_000_000)
})

test('does not decompress a response', async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000))
  const { port } = await listen((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
    socket.write(bomb)
  })

  expect(await open().send(webhook(`http://127.0.0.1:${port}/`))).toEqual({
    status: 200,
    retryAfter: null,
    body: '(gzip, not decoded)',
  })
})

test('never follows a redirect', async () => {
  const { port, seen } = await answering(
    'HTTP/1.1 307 Temporary Redirect\r\nlocation: http://169.254.169.254/latest/meta-data\r\ncontent-length: 0\r\n\r\n',
  )

  expect(await open().send(webhook(`http://127.0.0.1:${port}/`))).toMatchObject({ status: 307 })
  expect(seen).toHaveLength(1)
})

test.each([
  ['before the answer', ''],
  ['within the headers', 'HTTP/1.1 200 OK\r\ncontent-'],
  ['within the body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc'],
])('fails when the connection closes %s', async (_when, beginning) => {
  const { port } = await listen((socket) => socket.end(beginning))

  await expect(open().send(webhook(`http://127.0.0.1:${port}/`))).rejects.toThrow()
})

test('fails when the response is not HTTP', async () => {
  const { port } = await answering('SSH-2.0-OpenSSH_9.9\r\n')

  await expect(open().send(webhook(`http://127.0.0.1:${port}/`))).rejects.toThrow()
})

test.each(['120', 'Wed, 21 Oct 2026 07:28:00 GMT', '-5', '9'.repeat(400), 'soon'])(
  'hands Retry-After on as it came: %s',
  async (value) => {
    const { port } = await answering(
      `HTTP/1.1 429 Too Many\r\nretry-after: ${value}\r\ncontent-length: 0\r\n\r\n`,
    )

    expect(await open().send(webhook(`http://127.0.0.1:${port}/`))).toEqual({
      status: 429,
      retryAfter: value,
      body: '',
    })
  },
)

test('does not split a character', async () => {
  const body = `${'x'.repeat(4_095)}😀`
  const { port } = await answering(
    `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )

  expect((await open().send(webhook(`http://127.0.0.1:${port}/`))).body.isWellFormed()).toBe(true)
})

test('aborts immediately', async () => {
  const { port } = await listen(() => {})
  const stop = new AbortController()

  const sent = open().send({ ...webhook(`http://127.0.0.1:${port}/`), signal: stop.signal })
  stop.abort(new Error('stopping'))

  await expect(sent).rejects.toThrow('stopping')
})

test('does not send a webhook that was aborted before it was connected', async () => {
  const { port, seen } = await answering('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  let answerLookup = (): void => {}
  const lookup: LookupFunction = (_name, _options, callback) => {
    answerLookup = () => callback(null, [{ address: '127.0.0.1', family: 4 }])
  }
  const transport = open({ lookup })

  await expect(transport.send(webhook(`http://slow.test:${port}/`, 50))).rejects.toThrow('timeout')
  answerLookup()
  await transport.send(webhook(`http://127.0.0.1:${port}/`))

  expect(seen).toHaveLength(1)
})

test.each([
  'https://127.0.0.1:1/',
  'https://[::1]:1/',
  'https://[::ffff:10.0.0.1]:1/',
  'https://169.254.169.254/',
  'https://0x7f.1:1/',
  'https://0:1/',
])('refuses the literal address of %s', async (url) => {
  await expect(open({ allowPrivateTargets: false }).send(webhook(url))).rejects.toThrow(
    /refused to connect to/,
  )
})

test('refuses a name that resolves to a private address', async () => {
  const { port, seen } = await answering('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  const transport = open({ allowPrivateTargets: false, lookup: answersTo('127.0.0.1') })

  await expect(transport.send(webhook(`https://rebind.test:${port}/`))).rejects.toThrow(
    'refused to connect to 127.0.0.1: it is not a public address. The setting allowPrivateTargets allows it',
  )
  expect(seen).toEqual([])
})

test('refuses a name when only one of its addresses is private', async () => {
  const lookup = answersTo([
    { address: '93.184.216.34', family: 4 },
    { address: '::ffff:127.0.0.1', family: 6 },
  ])

  await expect(
    open({ allowPrivateTargets: false, lookup }).send(webhook('https://mixed.test/')),
  ).rejects.toThrow('refused to connect to ::ffff:127.0.0.1')
})

test('refuses a name whose second lookup resolves to a private address', async () => {
  const answers = ['192.0.2.1', '10.0.0.1']
  const asked: string[] = []
  const lookup: LookupFunction = (name, options, callback) => {
    asked.push(name)
    answersTo(answers.shift() ?? '')(name, options, callback)
  }
  const transport = open({ allowPrivateTargets: false, lookup })

  await expect(transport.send(webhook('https://rebind.test/'))).rejects.toThrow('192.0.2.1')
  await expect(transport.send(webhook('https://rebind.test/'))).rejects.toThrow('10.0.0.1')
  expect(asked).toEqual(['rebind.test', 'rebind.test'])
})

test('allows http only for loopback addresses and a local server', async () => {
  const { port } = await answering('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')

  await expect(
    open({ allowPrivateTargets: false }).send(webhook(`http://127.0.0.1:${port}/`)),
  ).rejects.toThrow(
    'http is only allowed for loopback addresses, and only with the setting allowPrivateTargets',
  )
  await expect(open({ lookup: answersTo('10.0.0.1') }).send(webhook('http://lan.test/'))).rejects.toThrow(
    'http is only allowed for loopback addresses, and only with the setting allowPrivateTargets',
  )
  expect(
    await open({ lookup: answersTo('127.0.0.1') }).send(webhook(`http://app.test:${port}/`)),
  ).toMatchObject({ status: 200 })
})

test('reports a name that cannot be resolved', async () => {
  const lookup: LookupFunction = (name, _options, callback) =>
    callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), [])

  await expect(open({ lookup }).send(webhook('https://nowhere.test/'))).rejects.toThrow('ENOTFOUND')
})

test.each([
  ['a 100', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['a 100 without a reason', 'HTTP/1.1 100\r\n\r\n'],
  ['several of them', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'],
])('ignores interim responses: %s', async (_name, interim) => {
  const final = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
  const { port } = await answering(interim + final)
  const transport = open()
  for (let time = 0; time < 3; time++) {
    expect(await transport.send(webhook(`http://127.0.0.1:${port}/`))).toMatchObject({
      status: 200,
      body: 'ok',
    })
  }
})

test('ignores an interim response that arrives in pieces', async () => {
  const text = 'HTTP/1.1 100 Continue\r\nx: y\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
  const { port } = await listen(async (socket) => {
    socket.setNoDelay(true)
    for (const character of text) {
      socket.write(character)
      await setImmediate()
    }
  })
  expect(await open().send(webhook(`http://127.0.0.1:${port}/`))).toMatchObject({ status: 200, body: 'ok' })
})

/** Sends a head, and then one piece again and again. */
const answeringEndlessly = async (head: string, piece: string) => {
  let sent = 0
  const { port } = await listen((socket) => {
    socket.write(head)
    const pump = (): void => {
      while (!socket.destroyed) {
        sent += piece.length
        if (!socket.write(piece)) return void socket.once('drain', pump)
      }
    }
    pump()
  })
  return { port, countSent: () => sent }
}

test.each([
  ['interim responses', '', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'],
  ['the head of an interim response', 'HTTP/1.1 103 Early Hints\r\n', 'x: y\r\n'],
  [
    'chunk extensions',
    'HTTP/1.1 500 x\r\ntransfer-encoding: chunked\r\n\r\n',
    `1;e=${'a'.repeat(60_000)}\r\nx\r\n`,
  ],
  ['a chunk extension', 'HTTP/1.1 500 x\r\ntransfer-encoding: chunked\r\n\r\n1;', 'a'.repeat(1_000)],
  ['trailers', 'HTTP/1.1 500 x\r\ntransfer-encoding: chunked\r\n\r\n0\r\n', `x: ${'a'.repeat(100)}\r\n`],
])('ends an attempt soon whose response never ends: %s', async (_name, head, piece) => {
  const { port, countSent } = await answeringEndlessly(head, piece)
  await expect(open().send(webhook(`http://127.0.0.1:${port}/`, 60_000))).rejects.toThrow()
  // What the sockets of this machine hold comes on top.
  expect(countSent()).toBeLessThan(30_000_000)
})
