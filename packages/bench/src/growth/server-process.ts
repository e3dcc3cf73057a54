import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startServer } from '@wabakit/server'
import { serveCommands } from '../commands.ts'

// The server in a process of its own, on the database of the first argument. `run` lets so many events happen, 100 a
// second, at the numbers of the subscriptions 2 to 21; `memory` gives the resident bytes after a collection.
const [database = ''] = process.argv.slice(2)
const healthy = 20
const perSecond = 100
const { service } = await startServer({ port: 0, database, logLevel: 'silent' }, { ownsProcess: true })
let told = 0

const tell = (): Promise<unknown> => {
  told += 1
  const sentAt = performance.timeOrigin + performance.now()
  return service.events.publish('acme', {
    name: 'GROUP_PARTICIPANT_JOINED',
    subject: `group:live_${told}`,
    channel: 'WHATSAPP',
    number: `+${15_550_000_002 + (told % healthy)}`,
    payload: JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupName: 'x'.repeat(200), sentAt }),
  })
}

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

serveCommands({
  run: async (events) => {
    const start = performance.now()
    const telling: Promise<unknown>[] = []
    for (let index = 0; index < events; index++) {
      await sleep(Math.max(0, start + (index * 1_000) / perSecond - performance.now()))
      telling.push(tell())
    }
    await Promise.all(telling)
  },
  memory: async () => {
    for (let turn = 0; turn < 3; turn++) {
      collect()
      await sleep(50)
    }
    return process.memoryUsage.rss()
  },
})
