import { getServers, setServers } from 'node:dns'
import { endpointCheckIds, examineEndpoint, TargetUnreachableError } from '@wabakit/conformance'
import { expect, onTestFinished, test } from 'vitest'
import { blockThreads } from '../../webhooks/test/names/blocked-threads.ts'
import { startNameServer, type Zone } from '../../webhooks/test/names/name-server.ts'
import { startEndpoint } from './endpoint.ts'
import { examine } from './examine.ts'

const useNameServer = async (zone: Zone): Promise<void> => {
  const server = await startNameServer(zone)
  const before = getServers()
  setServers([server.address])
  onTestFinished(() => {
    setServers(before)
    server.close()
  })
}

const skip = endpointCheckIds.filter(
  (id) => id !== 'accepts-genuine' && id !== 'survives-malformed-request-line',
)

test('examines an endpoint by its name while other names get no answer, and no thread is free', async () => {
  await useNameServer((name) => (name === 'good.test' ? { a: ['127.0.0.1'] } : { delayMs: Infinity }))
  await using endpoint = await startEndpoint()
  onTestFinished(blockThreads())
  const silent = Array.from({ length: 10 }, (_, number) =>
    examineEndpoint({
      url: `http://silent-${number}.test/`,
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    }),
  )
  const results = Promise.allSettled(silent)

  const { hostname } = new URL(endpoint.url)
  const report = await examine({ ...endpoint, url: endpoint.url.replace(hostname, 'good.test') }, { skip })
  expect(report.counts).toMatchObject({ pass: 2, fail: 0 })
  for (const result of await results) {
    expect(result).toMatchObject({ reason: expect.any(TargetUnreachableError) })
  }
})

test.each([true, false])(
  'names DNS if the name of an endpoint cannot be resolved',
  async (allowPublicTarget) => {
    await useNameServer(() => ({ code: 3 }))
    const examining = examineEndpoint({
      url: 'http://missing.test/hooks',
      secret: 'x'.repeat(24),
      allowPublicTarget,
    })
    await expect(examining).rejects.toThrow(
      'No connection to http://missing.test/hooks: the name missing.test could not be resolved (ENOTFOUND): it does not exist or has no address. Check its spelling and its DNS records.',
    )
    await expect(examining).rejects.toBeInstanceOf(TargetUnreachableError)
  },
)
