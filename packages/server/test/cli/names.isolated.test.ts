import { getServers, setServers } from 'node:dns'
import { expect, onTestFinished, test } from 'vitest'
import { blockThreads } from '../../../webhooks/test/names/blocked-threads.ts'
import { startNameServer } from '../../../webhooks/test/names/name-server.ts'
import { sendRequest } from '../../src/cli/recording/send-request.ts'
import { listenForWebhooks } from '../fixture.ts'

test('replay, capture and listen send to a name, although no thread is free to look it up', async () => {
  const names = await startNameServer((name) => (name === 'good.test' ? { a: ['127.0.0.1'] } : { code: 3 }))
  const before = getServers()
  setServers([names.address])
  onTestFinished(() => {
    setServers(before)
    names.close()
  })
  const { url } = await listenForWebhooks()
  const { hostname } = new URL(url)
  const request = { method: 'POST', path: '/', headers: [], body: Buffer.from('{}') } as const
  onTestFinished(blockThreads())

  const sent = await sendRequest(request, new URL(url.replace(hostname, 'good.test')))
  expect(sent.status).toBe(200)
  await expect(sendRequest(request, new URL('http://missing.test/'))).rejects.toThrow(
    'the name missing.test could not be resolved',
  )
})
