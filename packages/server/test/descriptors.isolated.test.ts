import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { bundles } from './bundle-processes.ts'
import { acme, listenForWebhooks } from './fixture.ts'

/** Starts a server in a process that may open this number of files. */
const serve = async (limit: number) => {
  const settings = { port: 0, database: ':memory:', organizations: [acme], allowPrivateTargets: true }
  const child = spawn(
    'sh',
    [
      ...['-c', `ulimit -n ${limit} && exec "$@"`, 'sh', process.execPath],
      ...[bundles.serve, JSON.stringify(settings)],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const log: string[] = []
  createInterface(child.stderr).on('line', (line) => log.push(line))
  const [url] = await once(createInterface(child.stdout), 'line')
  return { url: String(url), log }
}

test('without free descriptors, no attempt is used up, and /readyz and the log say why', async () => {
  const { url, log } = await serve(100)
  const endpoint = await listenForWebhooks()
  // One connection, because the server will accept no other.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const call = async (method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json', authorization: 'wk_test_key_0123456789' }
    const sent = request(`${url}${path}`, { method, agent, headers })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    const [response] = await once(sent, 'response')
    return { status: Number(response.statusCode), body: await text(response) }
  }
  // Loads what the server loads on demand.
  const subscription = { channel: 'WHATSAPP', number: '+15550100001', url: endpoint.url }
  await call('POST', '/_wabakit/organizations/acme/subscriptions', subscription)
  await call('POST', '/whatsapp/wa-group/create', { wabaNumber: '+15550100001', subject: 'First' })
  await endpoint.arrived(1)
  const other = await listenForWebhooks()
  await call('POST', '/_wabakit/organizations/acme/subscriptions', { ...subscription, url: other.url })

  const taken: Socket[] = []
  onTestFinished(() => {
    for (const socket of taken) socket.destroy()
  })
  const { port } = new URL(url)
  for (let count = 0; count < 100; count++) {
    const socket = connect(Number(port), '127.0.0.1')
      .on('error', () => {})
      .resume()
    taken.push(socket)
    await once(socket, 'connect')
  }
  // A process without descriptors closes what it cannot accept.
  await expect.poll(() => taken.some(({ closed }) => closed)).toBe(true)
  await call('POST', '/whatsapp/wa-group/create', { wabaNumber: '+15550100001', subject: 'Second' })
  await expect
    .poll(() => call('GET', '/readyz'))
    .toMatchObject({
      status: 503,
      body: expect.stringContaining('out of file descriptors or memory (EMFILE)'),
    })
  // The first endpoint already has a connection.
  await endpoint.arrived(2)
  expect(other.arrivals).toEqual([])

  for (const socket of taken) socket.destroy()
  await other.arrived(1)
  await expect.poll(() => call('GET', '/readyz')).toMatchObject({ status: 200 })
  const { body } = await call('GET', '/_wabakit/organizations/acme/deliveries')
  expect(JSON.parse(body).items).toMatchObject([{ attempts: 1 }, { attempts: 1 }, { attempts: 1 }])
  expect(log.filter((line) => line.includes('EMFILE'))).toHaveLength(1)
})
