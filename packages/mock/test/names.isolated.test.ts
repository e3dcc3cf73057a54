import { getServers, setServers } from 'node:dns'
import { createServer } from 'node:http'
import { createMock } from '@wabakit/mock'
import { expect, onTestFinished, test } from 'vitest'
import { listenOnFreePort } from '../../server/test/listen-on-free-port.ts'
import { blockThreads } from '../../webhooks/test/names/blocked-threads.ts'
import { startNameServer } from '../../webhooks/test/names/name-server.ts'

test('names without an answer delay no other delivery, and name DNS as the cause', async () => {
  const names = await startNameServer((name) =>
    name === 'missing.test' ? { code: 3 } : { delayMs: Infinity },
  )
  const before = getServers()
  setServers([names.address])
  onTestFinished(() => {
    setServers(before)
    names.close()
  })
  const endpoint = createServer((_request, response) => response.end('ok'))
  const good = `http://localhost:${new URL(await listenOnFreePort(endpoint)).port}/`
  await using mock = await createMock()
  const silent = Array.from({ length: 10 }, (_, number) => `https://silent-${number}.test/`)
  const missing = 'https://missing.test/'
  const find = (url: string) => mock.deliveries.filter(({ to }) => to === url)
  await mock.subscribe({ url: good, events: ['CALL_ENDED'] })
  await mock.simulateCall({ channel: 'WHATSAPP' })
  await expect.poll(() => find(good)).toMatchObject([{ status: 200 }])

  for (const url of [...silent, missing]) await mock.subscribe({ url, events: ['CALL_ENDED'] })
  // A call of `dns.lookup` never returns now.
  onTestFinished(blockThreads())
  await mock.simulateCall({ channel: 'WHATSAPP' })
  await expect.poll(() => find(good)).toMatchObject([{ status: 200 }, { status: 200 }])
  await expect
    .poll(() => find(missing)[0]?.error)
    .toMatch(/^the name missing\.test could not be resolved \(ENOTFOUND\)/)
  await expect
    .poll(() => find('https://silent-0.test/')[0]?.error)
    .toMatch(/^the name silent-0\.test could not be resolved \(ETIMEOUT\)/)
})
