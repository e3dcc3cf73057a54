import { createReferenceServer, type ReferenceServer } from '@wabakit/core'
import { type Contender, measureRounds, report } from './src/rounds.ts'

// Creating a group in process, without HTTP, with 100,000 groups stored beside it.
const stored = 100_000
const wabaNumber = '+15550100001'
const subscription = { channel: 'WHATSAPP', number: wabaNumber, url: 'https://receiver.example/' } as const

const open = async (): Promise<ReferenceServer> => {
  const server = createReferenceServer({ organizations: [{ id: 'acme', integrations: [{ wabaNumber }] }] })
  await server.ready()
  return server
}

const fill = async (server: ReferenceServer): Promise<ReferenceServer> => {
  for (let index = 0; index < stored; index++) {
    await server.groups.create('acme', { wabaNumber, subject: `Group ${index}`, groupId: `stored-${index}` })
  }
  return server
}

const creating = (name: string, server: ReferenceServer, withId: boolean): Contender => {
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

const full = await fill(await open())
const subscribed = await fill(await open())
await subscribed.subscriptions.create('acme', subscription)

const measurements = await measureRounds(
  [
    creating('generated id, 100,000 stored', full, false),
    creating('generated id, empty at first', await open(), false),
    creating('generated id, 100,000 stored, one delivery each', subscribed, false),
    creating('own id (hashes the request), 100,000 stored', full, true),
  ],
  { count: 5_000 },
)
report('Create a group in process', 'core-create-group', measurements)
