import { createServer } from 'node:http'
import { createReceiver, generateSecret, signWebhook, standardWebhooks } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sendBesideStrangers } from './beside-strangers.ts'
import { acme, start } from './fixture.ts'
import { listenOnFreePort } from './listen-on-free-port.ts'
import { hasProxy, type ProxyName, startReverseProxy } from './reverse-proxy.ts'

const startReceiver = async (secret: string): Promise<string> => {
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }) }).onAny(() => {})
  return listenOnFreePort(createServer(toNodeHandler(receiver)))
}

const proxy = async (name: ProxyName, servers: readonly string[]): Promise<string> => {
  const { url, close } = await startReverseProxy(name, { servers })
  onTestFinished(close)
  return url
}

describe.for<ProxyName>(['nginx', 'haproxy'])('behind %s, beside strangers with large bodies', (name) => {
  test.skipIf(!hasProxy(name))('every webhook arrives', async () => {
    const secret = generateSecret()
    const url = await proxy(name, [await startReceiver(secret), await startReceiver(secret)])
    let sent = 0
    const { genuine, strangers } = await sendBesideStrangers(`${url}/webhooks`, {
      count: 200,
      sizes: [900_000, 4_000_000],
      genuine: async () => {
        const body = JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupId: 'g', at: sent++ })
        const { headers } = await signWebhook({ payload: body, secret })
        return { method: 'POST', headers: headers, body }
      },
    })
    expect(genuine).toEqual({ 200: 200 })
    expect(strangers).toEqual({ ...strangers, 401: expect.any(Number) })
  })

  test.skipIf(!hasProxy(name))('every request to the API succeeds', async () => {
    const settings = { trustProxy: 1, controlToken: 'a-control-token-of-24-bytes', rateLimitPerAddress: 0 }
    const url = await proxy(name, [(await start(settings)).url, (await start(settings)).url])
    const { genuine, strangers } = await sendBesideStrangers(`${url}/whatsapp/wa-group/create`, {
      count: 200,
      sizes: [900_000, 4_000_000],
      genuine: async () => ({
        method: 'POST',
        headers: { authorization: acme.apiKeys[0]?.key ?? '', 'content-type': 'application/json' },
        body: JSON.stringify({ wabaNumber: '+15550100001', subject: 'Team' }),
      }),
    })
    expect(genuine).toEqual({ 200: 200 })
    expect(strangers).toEqual({ ...strangers, 401: expect.any(Number) })
  })
})
