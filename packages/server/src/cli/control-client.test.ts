import { createServer, type ServerResponse } from 'node:http'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
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

test('waits for the response to a removal for longer than fetch does', async () => {
  const usual = getGlobalDispatcher()
  const impatient = new Agent({ headersTimeout: 100 })
  setGlobalDispatcher(impatient)
  onTestFinished(async () => {
    setGlobalDispatcher(usual)
    await impatient.close()
  })
  const removal = Promise.withResolvers<ServerResponse>()
  const server = createServer(({ method }, response) => {
    if (method === 'DELETE') removal.resolve(response)
  })
  const url = await listenOnFreePort(server)
  const removed = createControlClient({ server: url }).send('DELETE', '/organizations/acme')
  const response = await Promise.race([removal.promise, removed.then(() => undefined)])
  // Sent later, so that it gives up later.
  await expect(fetch(url)).rejects.toMatchObject({ cause: { code: 'UND_ERR_HEADERS_TIMEOUT' } })
  response?.writeHead(204).end()
  expect(await removed).toBeUndefined()
})
