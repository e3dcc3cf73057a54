import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startServer } from '@wabakit/server'
import { serveCommands } from '../commands.ts'

// A server in its own process, on the database in the first argument. `run` publishes events for the subscriptions 2 to 21,
// 100 per second. `memory` returns the resident memory in bytes after garbage collection.
const [database = ''] = process.argv.slice(2)
const healthy = 20
const perSecond = 100
const { service } = await startServer({ port: 0, database, logLevel: 'silent' })
let published = 0

const publish = (): Promise<unknown> => {
  published += 1
  const sentAt = performance.timeOrigin + performance.now()
  return service.events.publish('acme', {
    name: 'GROUP_PARTICIPANT_JOINED',
    subject: `group:live_${published}`,
    channel: 'WHATSAPP',
    number: `+${15_550_000_002 + (published % healthy)}`,
    payload: JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupName: 'x'.repeat(200), sentAt }),
  })
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

serveCommands({
  run: async (events) => {
    const start = performance.now()
    const publishing: Promise<unknown>[] = []
    for (let index = 0; index < events; index++) {
      await sleep(Math.max(0, start + (index * 1_000) / perSecond - performance.now()))
      publishing.push(publish())
    }
    await Promise.all(publishing)
  },
  memory: async () => {
    for (let turn = 0; turn < 3; turn++) {
      collectGarbage()
      await sleep(50)
    }
    return process.memoryUsage.rss()
  },
})
