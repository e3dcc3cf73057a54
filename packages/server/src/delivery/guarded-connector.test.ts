import { once } from 'node:events'
import type { LookupFunction, Socket } from 'node:net'
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createTransport } from './transport.ts'

// The key and certificate of rebind.test, valid from 2020 to 2120 and used only in this test.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSfpLlLmW1k92w+jJ
hjkgW2QHusPJhwbkTBzYzLXNT1qhRANCAAQ+RmG0nrmy7nSbtQnz5TdNs1hOSBuA
JOC6m1ef0BSiT464+EbXD1s/28n2G9gyzLiFYE/6Yotv2Pa+B3p0AJPq
-----END PRIVATE KEY-----`
const cert = `-----BEGIN CERTIFICATE-----
MIIBaDCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAtyZWJpbmQu
dGVzdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFjEUMBIGA1UE
AwwLcmViaW5kLnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQ+RmG0nrmy
7nSbtQnz5TdNs1hOSBuAJOC6m1ef0BSiT464+EbXD1s/28n2G9gyzLiFYE/6Yotv
2Pa+B3p0AJPqo0owSDAPBgNVHRMBAf8EBTADAQH/MBYGA1UdEQQPMA2CC3JlYmlu
ZC50ZXN0MB0GA1UdDgQWBBSNisGtRCnhT56apWJ4uCk6noM7XTAKBggqhkjOPQQD
AgNJADBGAiEAv394PijhbzWZx4Yh66AFv3Pd404KTgAWBsjOMXV8Bw4CIQC7OEIF
uxhnbpsfieazS7fkb42bYXOQ19IkRKUoX5X+oA==
-----END CERTIFICATE-----`

const opened: Array<() => unknown> = []
const trusted = getCACertificates('default')

beforeAll(() => setDefaultCACertificates([...trusted, cert]))
afterAll(() => setDefaultCACertificates(trusted))
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

/** Starts an https endpoint on loopback. `received` is the decrypted data from its connections. */
const listen = async () => {
  let received = ''
  const sockets = new Set<Socket>()
  const server = createServer({ key, cert }, (socket) => {
    socket.on('error', () => {})
    socket.on('data', (data) => {
      received += data
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { port: address.port, received: () => received, connections: () => sockets.size }
}

/** Creates a lookup that returns the addresses one after another, and then repeats the last one. */
const changing =
  (...addresses: string[]): LookupFunction =>
  (_name, _options, callback) => {
    const [last = ''] = addresses.slice(-1)
    const answer = {
      get address() {
        return addresses.shift() ?? last
      },
      family: 4,
    }
    callback(null, [answer])
  }

const send = (port: number, lookup: LookupFunction, allowPrivateTargets: boolean) => {
  const transport = createTransport({ allowPrivateTargets, lookup })
  opened.push(() => transport.close())
  const url = `https://rebind.test:${port}/hooks`
  return transport.fetch(url, { headers: {}, body: '{"secret":1}', signal: AbortSignal.timeout(5_000) })
}

test('delivers over https to an allowed address', async () => {
  const { port, received } = await listen()

  expect(await send(port, changing('127.0.0.1'), true)).toMatchObject({ status: 200 })
  expect(received()).toContain('{"secret":1}')
})

test('sends nothing when the connected address differs from the checked one', async () => {
  const { port, received, connections } = await listen()

  await expect(send(port, changing('93.184.216.34', '127.0.0.1'), false)).rejects.toThrow(
    'refused to connect to 127.0.0.1: it is not a public address. The setting allowPrivateTargets allows it',
  )
  expect(received()).toBe('')
  await expect.poll(connections).toBe(0)
})
