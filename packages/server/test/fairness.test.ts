import { createServer } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { listenForWebhooks, start } from './fixture.ts'
import { createPostgresDatabase } from './shared-cluster.ts'
import { temporaryFolder } from './temporary-folder.ts'

const databases = {
  SQLite: async () => `${temporaryFolder()}/wabakit.db`,
  PostgreSQL: createPostgresDatabase,
}

/** Starts an endpoint that never responds. */
const listenInVain = async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(close)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { url: `http://127.0.0.1:${address.port}/`, close }
}

test.each(Object.entries(databases))(
  'with more hanging endpoints than there are attempts, others get theirs meanwhile (%s)',
  async (_engine, open) => {
    const hanging = await listenInVain()
    const endpoint = await listenForWebhooks()
    const numbers = Array.from({ length: 80 }, (_, index) => `+${15_550_200_000 + index}`)
    const other = '+15550300001'
    const { service } = await start({
      database: await open(),
      organizations: [
        { id: 'hanging', integrations: numbers.map((wabaNumber) => ({ wabaNumber })) },
        { id: 'other', integrations: [{ wabaNumber: other }] },
      ],
    })
    await service.ready()
    const subscribe = (organizationId: string, number: string, url: string) =>
      service.subscriptions.create(organizationId, { channel: 'WHATSAPP', number, url })
    await Promise.all(numbers.map((number) => subscribe('hanging', number, hanging.url)))
    await subscribe('other', other, endpoint.url)
    const publish = (organizationId: string, number: string, subject: string) =>
      service.events.publish(organizationId, {
        name: 'GROUP_CREATED',
        channel: 'WHATSAPP',
        number,
        subject: `group:${subject}`,
        payload: '{"event":"GROUP_CREATED"}',
      })
    for (let turn = 0; turn < 3; turn++) {
      await Promise.all(numbers.map((number) => publish('hanging', number, `${number}_${turn}`)))
    }
    for (let index = 0; index < 50; index++) await publish('other', other, `${index}`)
    // A hanging attempt times out after 15 seconds.
    const waited = await Promise.race([endpoint.arrived(50), setTimeout(10_000, 'too long')])
    expect(waited).toBeUndefined()
    hanging.close()
  },
  60_000,
)
