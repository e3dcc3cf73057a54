import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bundles } from './bundle-processes.ts'
import { listenForWebhooks } from './fixture.ts'
import { listenOnFreePort } from './listen-on-free-port.ts'

/** Starts an HTTP proxy that forwards requests with absolute URLs, and records their hosts. */
const startProxy = async () => {
  const hosts: string[] = []
  const proxy = createServer((incoming, response) => {
    const { method, url = '', headers } = incoming
    hosts.push(new URL(url).host)
    const outgoing = request(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  return { hosts, url: await listenOnFreePort(proxy) }
}

const run = (args: readonly string[], proxy: string) => {
  const env = { PATH: process.env.PATH, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, NO_PROXY: '' }
  const child = spawn(process.execPath, ['--conditions=@wabakit/source', '--no-warnings', ...args], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test('with NODE_USE_ENV_PROXY, the client and the commands use the proxy, and deliveries do not', async () => {
  const proxy = await startProxy()
  const endpoint = await listenForWebhooks()
  const child = run([resolve(import.meta.dirname, 'proxy-process.ts'), endpoint.url], proxy.url)
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const [url] = String(await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])).split('\n')
  expect(errors).toBe('')
  const { host } = new URL(String(url))

  expect(endpoint.arrivals).toHaveLength(1)
  expect(proxy.hosts).toEqual([host])

  // A removal waits for its response without a limit, so it is sent in another way.
  for (const command of [
    ['subscription', 'list', '--organization', 'acme'],
    ['org', 'remove', '--organization', 'acme', '--yes'],
  ]) {
    const before = proxy.hosts.length
    const [code] = await once(
      run([bundles.command, ...command, '--server', `http://${host}`], proxy.url),
      'exit',
    )
    expect(code).toBe(0)
    expect(proxy.hosts.length).toBeGreaterThan(before)
  }
  expect(new Set(proxy.hosts)).toEqual(new Set([host]))
  child.stdin.write('end\n')
  await once(child, 'exit')
})
