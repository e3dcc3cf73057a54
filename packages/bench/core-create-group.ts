import { createReferenceServer, type ReferenceServer } from '@wabakit/core'
import { report } from './src/report.ts'
import { type Contender, measureRounds } from './src/rounds.ts'

// Creates groups in process, without HTTP, with 100,000 groups in the store.
const stored = 100_000
const wabaNumber = '+15550100001'
const subscription = { channel: 'WHATSAPP', number: wabaNumber, url: 'https://receiver.example/' } as const

const openServer = async (): Promise<ReferenceServer> => {
  const server = createReferenceServer({ organizations: [{ id: 'acme', integrations: [{ wabaNumber }] }] })
  await server.ready()
  return server
}

const fillServer = async (server: ReferenceServer): Promise<ReferenceServer> => {
  for (let index = 0; index < stored; index++) {
    await server.groups.create('acme', { wabaNumber, subject: `Group ${index}`, groupId: `stored-${index}` })
  }
  return server
}

const createContender = (name: string, server: ReferenceServer, withId: boolean): Contender => {
  let count = 0
  return {
    name,
    run: async (times) => {
      for (let done = 0; done < times; done++) {
        const groupId = withId ? `new-${count++}` : undefined
        await server.groups.create('acme', { wabaNumber, subject: 'Launch', groupId })
      }
    },
  }
}

const full = await fillServer(await openServer())
const subscribed = await fillServer(await openServer())
await subscribed.subscriptions.create('acme', subscription)

const measurements = await measureRounds(
  [
    createContender('generated id, 100,000 stored', full, false),
    createContender('generated id, empty at first', await openServer(), false),
    createContender('generated id, 100,000 stored, one delivery each', subscribed, false),
    createContender('own id (hashes the request), 100,000 stored', full, true),
  ],
  { count: 5_000 },
)
report('Create a group in process', 'core-create-group', measurements)
