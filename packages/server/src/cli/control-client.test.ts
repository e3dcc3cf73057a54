import { createServer } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listenOnFreePort } from '../../test/listen-on-free-port.ts'
import { checkSecrecy, createControlClient } from './control-client.ts'

test.each(['http://127.0.0.1:4100', 'http://localhost', 'http://[::1]:4100', 'https://wa.example.com'])(
  'sends a token to %s',
  (server) => {
    expect(() => createControlClient({ server, controlToken: 'token' })).not.toThrow()
  },
)

test.each(['http://wa.example.com', 'http://192.0.2.1:4100'])('sends no token to %s', (server) => {
  expect(() => createControlClient({ server, controlToken: 'token' })).toThrow('Use https')
  expect(() => createControlClient({ server })).not.toThrow()
  expect(() => checkSecrecy(server, 'the API key')).toThrow('the network could read the API key')
})

test('follows no redirect, which would change the request', async () => {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  const url = await listenOnFreePort(server)
  const sent = createControlClient({ server: url }).send('POST', '/faults', {})
  await expect(sent).rejects.toThrow(`Cannot reach a server at ${url}`)
  expect(requests).toEqual(['POST /_wabakit/faults'])
})

test('knows that a removal may go on when fetch stops waiting for the head of its response', async () => {
  const cause = Object.assign(new Error('Headers Timeout Error'), { code: 'UND_ERR_HEADERS_TIMEOUT' })
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed', { cause }))
  onTestFinished(() => void vi.restoreAllMocks())
  const { send } = createControlClient({ server: 'http://127.0.0.1:4100' })
  await expect(send('DELETE', '/organizations/acme')).rejects.toThrow(
    'did not answer: Headers Timeout Error. Check what has changed',
  )
})
