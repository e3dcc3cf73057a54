import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { start } from './fixture.ts'
import { findFreePort } from './free-port.ts'
import { requireProgram } from './programs.ts'

// The rules of the guide, in the programs themselves: only the public API is reachable from outside.
const guide = readFileSync(resolve(import.meta.dirname, '../../../docs/deploying.md'), 'utf8')

const find = (pattern: RegExp): string => {
  const found = pattern.exec(guide)?.[0]
  if (found === undefined) throw new Error(`docs/deploying.md no longer has ${pattern}.`)
  return found
}

type Proxy = {
  /** Writes the guide's configuration with these ports. */
  configure(front: number, server: number): string
  /** Arguments that start the program in the foreground with the configuration in a file. */
  args(file: string): string[]
}

const proxies: Readonly<Record<string, Proxy>> = {
  haproxy: {
    configure: (front, server) =>
      `${find(/^defaults\n\tmode http[\s\S]*?\n```/m).slice(0, -3)}`
        .replace(/bind .*/, `bind 127.0.0.1:${front}`)
        .replace(/server app-1 .*/, `server app-1 127.0.0.1:${server}`)
        .replace(/\tserver app-2 .*\n/, ''),
    args: (file) => ['-db', '-f', file],
  },
  caddy: {
    configure: (front, server) =>
      `{\n\tadmin off\n\tauto_https off\n}\n${find(/^wabakit\.example\.com \{[\s\S]*?\n\}/m)}\n`
        .replace(/^wabakit\.example\.com/m, `http://:${front}`)
        .replace(/127\.0\.0\.1:4100/, `127.0.0.1:${server}`),
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
}

const stop = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

/** Sends a request line as it is, which a URL library would change. Returns the response; empty if there is none. */
const send = async (port: number, target: string, method = 'GET'): Promise<string> => {
  const socket = connect(port, '127.0.0.1').setTimeout(5_000, () => socket.destroy())
  let received = ''
  socket
    .on('error', () => {})
    .on('data', (data) => {
      received += data
    })
  socket.write(
    `${method} ${target} HTTP/1.1\r\nhost: wabakit.example.com\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
  )
  await once(socket, 'close')
  return received
}

const hidden = ['_wabakit/info', '_wabakit/inspector', 'metrics', 'healthz', 'openapi.json']
const disguises = (path: string): string[] => [
  `/${path}`,
  `//${path}`,
  `/./${path}`,
  `/x/../${path}`,
  `/%2e/${path}`,
  `/x/%2e%2e/${path}`,
  `/%2F${path}`,
  `/${path}/`,
  `/${path.toUpperCase()}`,
  `/${path.replace('_', '%5F').replace('m', '%6d')}`,
  `/v1/call/ai-summary/../../../${path}`,
  `/v1/call/ai-summary/%2e%2e/%2e%2e/%2e%2e/${path}`,
  `/v1/call/ai-summary/..%2f..%2f..%2f${path}`,
  `/v1/call/ai-summary/../../..//${path}`,
  `/v1/call/ai-summary\\..\\..\\..\\${path}`,
  `/v1/call/ai-summary;/../../../${path}`,
  `/v1/call/ai-summary?/../../../${path}`,
  `/v1/call/ai-summary#/../../../${path}`,
  `/${path}?/v1/call/ai-summary`,
  `http://wabakit.example.com/${path}`,
  `http://wabakit.example.com/v1/call/ai-summary/../../../${path}`,
  `http://localhost/${path}`,
  `*`,
]

describe.each(Object.entries(proxies))('behind %s as in the guide', (program, { configure, args }) => {
  const isInstalled = spawnSync(program, ['version'], { stdio: 'ignore' }).error === undefined

  test.skipIf(!requireProgram(program, isInstalled))(
    'the public API is reachable and nothing else, however the path is written',
    async () => {
      const server = await start({ trustProxy: 1, controlToken: 'a-control-token-of-24-bytes' })
      const front = await findFreePort()
      const folder = mkdtempSync(join(tmpdir(), 'wabakit-proxy-'))
      const file = join(folder, 'proxy.cfg')
      writeFileSync(file, configure(front, Number(new URL(server.url).port)))
      const env = { PATH: process.env.PATH, HOME: folder }
      const child = spawn(program, args(file), { stdio: ['ignore', 'ignore', 'pipe'], env })
      let log = ''
      child.stderr.on('data', (data) => {
        log += data
      })
      onTestFinished(async () => {
        await stop(child)
        rmSync(folder, { recursive: true })
      })
      await expect
        .poll(() => send(front, '/v1/call/ai-summary'), { timeout: 20_000 })
        .toMatch(/missing_api_key/)
      expect(await send(front, '/v1/call/ai-summary?callId=a')).toMatch(/missing_api_key/)
      expect(await send(front, '/whatsapp/wa-group/create', 'POST')).toMatch(/missing_api_key/)

      const targets = hidden.flatMap(disguises)
      const passed = await Promise.all(
        targets.map(async (target) => [target, await send(front, target)] as const),
      )
      for (const [target, response] of passed) {
        const [, status = ''] = response.split(' ')
        const body = response.split('\r\n\r\n').slice(1).join('')
        // Without a response, or refused by the proxy, or by the public API.
        const isRefused = response === '' || /^4/.test(status)
        expect([target, status, body, isRefused]).toEqual([target, status, body, true])
        expect(body, `${target}\n${log}`).not.toMatch(
          /"organizations"|wabakit_|<!doctype|"openapi":|"version"|control token/i,
        )
      }
    },
  )
})
