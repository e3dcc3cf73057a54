import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { listenOnFreePort } from '../../../test/listen-on-free-port.ts'
import { sendRequest } from './send-request.ts'

test('rejects if the endpoint switches to another protocol, which no request asks for', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
    )
  })
  const url = await listenOnFreePort(server)
  const sent = sendRequest({ method: 'POST', path: '/', headers: [], body: Buffer.from('{}') }, new URL(url))
  await expect(sent).rejects.toThrow('another protocol (101)')
})
