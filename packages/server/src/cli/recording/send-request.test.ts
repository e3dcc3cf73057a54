import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { sendRequest } from './send-request.ts'

test('rejects if the endpoint switches to another protocol, which no request asks for', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = Object(server.address())
  const sent = sendRequest(
    { method: 'POST', path: '/', headers: [], body: Buffer.from('{}') },
    new URL(`http://127.0.0.1:${port}`),
  )
  await expect(sent).rejects.toThrow('another protocol (101)')
})
