import { describe, expect, onTestFinished, test } from 'vitest'
import { keepSocket, serveOn } from './kept-socket.ts'

const args = ['--database', ':memory:', '--log-level', 'silent']

const keep = async () => {
  const socket = await keepSocket()
  onTestFinished(socket.close)
  return { socket, url: `http://127.0.0.1:${socket.port}/healthz` }
}

const start = async (...parameters: Parameters<typeof serveOn>) => {
  const server = serveOn(...parameters)
  onTestFinished(() => void server.stop('SIGKILL'))
  await server.ready
  return server
}

// systemd runs on Linux.
describe.runIf(process.platform === 'linux')('a socket that systemd passes', () => {
  test('stays open while the server restarts: a request that arrives meanwhile is served by the next process', async () => {
    const { socket, url } = await keep()
    const first = await start(socket, { args })
    expect(await first.stop('SIGTERM')).toBe(0)
    const response = fetch(url)
    await start(socket, { args })

    expect((await response).status).toBe(200)
  })

  test('must be one, which listens where the settings say: they decide what is safe', async () => {
    const { socket } = await keep()
    const elsewhere = serveOn({ ...socket, port: 4_100 }, { args })
    const several = serveOn(socket, { args, sockets: 2 })
    for (const { ready } of [elsewhere, several]) ready.catch(() => {})

    expect([await elsewhere.ended, await elsewhere.log]).toEqual([
      2,
      `host and port (settings) are 127.0.0.1:4100, but the socket that systemd passes listens on 127.0.0.1:${socket.port}. Set ListenStream=127.0.0.1:4100 in its unit.\n`,
    ])
    expect([await several.ended, await several.log]).toEqual([
      2,
      'LISTEN_FDS (systemd) is 2, but a server listens on one socket. Let the socket unit have one ListenStream.\n',
    ])
  })
})
