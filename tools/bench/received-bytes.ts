import { readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen, startChild } from './src/commands.ts'
import { type Figure, type Goal, publish } from './src/result.ts'

/**
 * Size of a body, in bytes: below all limits, including the 64 KiB that a receiver holds for every request.
 */
const bodyBytes = 60_000
/**
 * Minimum number of bytes in a measurement. It must be large compared with the garbage between two
 * collections.
 */
const atLeast = 16_000_000
const limit = 4

/** The last byte of each body is missing, so that every program keeps what it has received. */
const chunkings = {
  'chunks of one byte': {
    header: 'transfer-encoding: chunked',
    body: Buffer.from('1\r\nx\r\n'.repeat(bodyBytes)),
    connections: 60,
  },
  'a whole body': {
    header: `content-length: ${bodyBytes + 1}`,
    body: Buffer.alloc(bodyBytes, 'x'),
    connections: 350,
  },
}
type Chunking = (typeof chunkings)[keyof typeof chunkings]

const answeredEarly = ['server, a page', 'server, no key', 'receiver, no signature']

type Target = { readonly kind: string; readonly url: URL; readonly chunking: Chunking }

const requestHead = ({ kind, url: { pathname }, chunking: { header } }: Target): string =>
  [
    `${kind === 'server, a page' ? 'GET' : 'POST'} ${pathname} HTTP/1.1`,
    'host: 127.0.0.1',
    ...(kind === 'server, no key' ? [] : ['authorization: Bearer wk_bench_0123456789']),
    'content-type: application/json',
    `webhook-id: msg_1`,
    `webhook-timestamp: ${Math.floor(Date.now() / 1_000)}`,
    ...(kind === 'receiver, no signature' ? [] : ['webhook-signature: v1,x']),
    header,
    '\r\n',
  ].join('\r\n')

/** Reads the process's memory, or its peak since `resetPeak`, in bytes. */
const readMemory = (pid: number, line: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`${line}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024

const resetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')

const measure = async (kind: string, chunking: Chunking): Promise<number> => {
  // A warm-up with few bytes compiles the code. With many bytes, it would leave a heap that hides what comes later.
  let body = chunking.body.subarray(0, 6_000)
  const opened: Socket[] = []
  const keep = (socket: Socket): Socket => {
    socket.on('error', () => {})
    opened.push(socket)
    return socket
  }
  // Responds with bytes that never end.
  const endpoint = createServer((socket) => {
    keep(socket).once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${chunking.header}\r\n\r\n`)
      socket.write(body)
    })
  })
  const { port } = new URL(await listen(endpoint))
  const child = await startChild(new URL('./src/received-bytes-process.ts', import.meta.url).href, kind, port)
  const send = async (connections: number): Promise<void> => {
    await child.command('send', connections)
    if (child.readyMessage === '') return
    const url = new URL(child.readyMessage)
    for (let nth = 0; nth < connections; nth += 1) {
      const socket = keep(connect(Number(url.port), '127.0.0.1'))
      socket.write(requestHead({ kind, url, chunking }))
      socket.write(body)
    }
  }
  /** Waits until no more bytes arrive. Returns the number of bytes that have arrived. */
  const waitForBytes = async (): Promise<number> => {
    let last = 0
    for (;;) {
      await sleep(1_000)
      const received = await child.command('received')
      if (received === last && received > 0) return received
      last = received
    }
  }
  try {
    await send(4)
    const earlier = await waitForBytes()
    await child.command('collect')
    const before = readMemory(child.pid, 'VmRSS')
    resetPeak(child.pid)
    body = chunking.body
    // A response before the end of the body closes the connection, and the rest does not arrive.
    await send(chunking.connections * (answeredEarly.includes(kind) ? 3 : 1))
    const received = (await waitForBytes()) - earlier
    const used = readMemory(child.pid, 'VmHWM') - before
    if (received < atLeast) throw new Error(`${kind} received only ${received} bytes.`)
    return used / received
  } finally {
    child.close()
    endpoint.close()
    for (const socket of opened) socket.destroy()
  }
}

const floors = ['bare handler', 'bare fetch']
const kinds = [
  'receiver on node:http',
  'receiver on Hono',
  'receiver, no signature',
  'receiver, slow secret',
  'server, API',
  'server, a page',
  'server, no key',
  'server, attempts',
  'mock on a port',
  'client',
]
const figures: Figure[] = []
const goals: Goal[] = []
for (const kind of [...kinds, ...floors]) {
  for (const [name, chunking] of Object.entries(chunkings)) {
    const result = await measure(kind, chunking)
    figures.push({ name: `${kind}, ${name}`, figure: `${result.toFixed(1)} bytes` })
    console.log(kind, name, result.toFixed(2))
    if (kinds.includes(kind))
      goals.push({
        id: 'P12',
        what: `${kind}, ${name}: bytes held per byte`,
        result,
        limit: { atMost: limit },
      })
  }
}
publish({
  name: 'received-bytes',
  title: 'Memory for received bytes',
  about: `The peak of the resident memory, garbage included, per byte that arrives, while bodies arrive that never end: at least
${atLeast / 1e6} MB in total, as whole bodies or in HTTP chunks of one byte, whose framing counts. The floors copy each body into
one growing buffer.`,
  unit: 'time',
  figures,
  goals,
})
