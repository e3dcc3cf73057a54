import { setServers } from 'node:dns'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startServer } from '@wabakit/server'
import { serveCommands } from '../commands.ts'
import { readTime, runPaced } from '../run-tasks.ts'

// A server. The arguments are its database, its role, and the phone numbers of the suspect and the healthy endpoints as
// JSON. `flood` publishes the given number of events for each suspect endpoint. `run` publishes the given number of
// events for the healthy endpoints, 100 per second. `memory` returns the resident memory after garbage collection, in
// bytes.
type Target = readonly [organizationId: string, number: string]

if (process.env.BENCH_NAME_SERVER) setServers([process.env.BENCH_NAME_SERVER])
const [database = '', role = 'all', targets = '{}'] = process.argv.slice(2)
const { suspect = [], healthy = [] }: { suspect?: Target[]; healthy?: Target[] } = JSON.parse(targets)
const { service } = await startServer({
  port: 0,
  database,
  logLevel: 'silent',
  allowPrivateTargets: true,
  role: role === 'worker' ? 'worker' : 'all',
})
let published = 0

const publish = ([organizationId, number]: Target): Promise<unknown> => {
  published += 1
  return service.events.publish(organizationId, {
    name: 'GROUP_PARTICIPANT_JOINED',
    subject: `group:live_${published}`,
    channel: 'WHATSAPP',
    number,
    payload: JSON.stringify({
      event: 'GROUP_PARTICIPANT_JOINED',
      groupName: 'x'.repeat(200),
      sentAt: readTime(),
    }),
  })
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

serveCommands({
  flood: async (each) => {
    for (let turn = 0; turn < each; turn++) await Promise.all(suspect.map(publish))
  },
  run: (events) =>
    runPaced({ times: events, perSecond: 100 }, async (_, nth) => {
      const target = healthy[nth % healthy.length]
      if (target !== undefined) await publish(target)
    }),
  memory: async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      collectGarbage()
      await sleep(50)
    }
    return process.memoryUsage.rss()
  },
})
