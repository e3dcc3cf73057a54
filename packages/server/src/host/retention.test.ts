import { createReferenceServer, memoryStore } from '@wabakit/core'
import { expect, test } from 'vitest'
import { startRetention } from './retention.ts'

const day = 86_400_000

test('removes settled deliveries and their events after the days they are kept, and nothing younger', async () => {
  const store = memoryStore()
  let now = Date.now() - 31 * day
  const service = createReferenceServer({
    store,
    clock: { now: () => now },
    fetch: async () => new Response(),
    organizations: [{ id: 'acme', integrations: [{ wabaNumber: '+15550100001' }] }],
  })
  const number = '+15550100001'
  await service.subscriptions.create('acme', { channel: 'WHATSAPP', number, url: 'https://example.com/hook' })
  await service.groups.create('acme', { wabaNumber: number, subject: 'Old', groupId: 'old' })
  await service.dispatcher.runDue()
  now = Date.now()
  await service.groups.create('acme', { wabaNumber: number, subject: 'Young', groupId: 'young' })
  await service.dispatcher.runDue()

  const stop = startRetention({
    store,
    keptMs: 30 * day,
    onError: (error) => {
      throw error
    },
  })
  await stop()

  expect((await service.events.list('acme')).items).toMatchObject([{ subject: 'group:young' }])
  expect((await service.deliveries.list('acme')).items).toMatchObject([{ subject: 'group:young' }])
})
