import { connect } from 'node:net'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { type OptionCases, testOptions } from '../../../../tools/option-cases.ts'
import { ServerConfig } from '../../src/config/server-config.ts'
import { createGroup, listenForWebhooks, start } from '../fixture.ts'
import { accessSettings, removeCluster } from './access-settings.ts'
import { dataSettings } from './data-settings.ts'
import { deliverySettings } from './delivery-settings.ts'
import { limitSettings } from './limit-settings.ts'
import type { Settings } from './setting-case.ts'

// Each setting works through a running server, with its default and with another value: a setting that reaches the wrong
// place is no error in any part of the server. A setting without cases does not compile.
const settings: OptionCases<Settings> = {
  ...accessSettings,
  ...limitSettings,
  ...deliverySettings,
  ...dataSettings,
}

afterAll(removeCluster)

testOptions<Settings>('a server', settings)

test('every setting of the schema has cases', () => {
  expect(Object.keys(settings).toSorted()).toEqual(Object.keys(ServerConfig.shape).toSorted())
})

test('a request must arrive within requestTimeoutMs, and at most maxConnections are accepted', async () => {
  const { url } = await start({ requestTimeoutMs: 1_000, maxConnections: 4 })
  const open = () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    let text = ''
    const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)))
    socket.on('data', (chunk) => {
      text += chunk
    })
    return { socket, closed }
  }
  // One address can have half of the connections.
  const [first, second, third] = [open(), open(), open()]
  expect(await third?.closed).toBe('')
  first?.socket.write('POST /whatsapp/wa-group/create HTTP/1.1\r\nhost: localhost\r\n')
  expect(await first?.closed).toMatch(/^HTTP\/1\.1 408 /)
  second?.socket.destroy()
})

test('the connections to endpoints are closed with the server', async () => {
  const endpoint = await listenForWebhooks()
  const server = await start()
  const subscription = { channel: 'WHATSAPP', number: '+15550100001', url: endpoint.url } as const
  await server.service.subscriptions.create('acme', subscription)
  await createGroup(server.url)
  await endpoint.arrived(1)
  await expect.poll(endpoint.countConnections).toBe(1)
  await server.close()
  // An idle connection would stay open for two minutes.
  await expect.poll(endpoint.countConnections).toBe(0)
})
