import { startServer } from '@wabakit/server'
import { payload } from '../call-ai-summary.ts'
import { serveCommands } from '../commands.ts'
import { inParallel } from '../in-parallel.ts'
import { connections, number, settings } from './job.ts'
import { untilNone } from './until-none.ts'

// `wabakit serve` with commands, which are those of its peers: `store` publishes so many events, one by one; `fill` does it
// where the time does not count; `settled` answers when all are delivered; `hold` and `release` are for a process that
// does all.
const { database, role, endpoint, concurrency } = settings()
const organization = 'bench'
const { service } = await startServer(
  {
    port: 0,
    database,
    role,
    logLevel: 'warn',
    deliveryConcurrency: concurrency,
    // There is one subscription; its limit counts over all processes.
    deliveryConcurrencyPerSubscription: 10_000,
    organizations: role === 'worker' ? [] : [{ id: organization, integrations: [{ wabaNumber: number }] }],
  },
  { ownsProcess: true },
)
if (role !== 'worker')
  await service.subscriptions.create(organization, { channel: 'WHATSAPP', number, url: endpoint })

let calls = 0
const publish = () => {
  calls += 1
  return service.events.publish(organization, {
    name: 'CALL_AI_SUMMARY',
    subject: `call:${calls}`,
    channel: 'WHATSAPP',
    number,
    payload,
  })
}

/** How many falls due at some time: as long as anything is not settled, something does. */
const open = async (): Promise<number> => ((await service.dispatcher.nextDueAt()) === undefined ? 0 : 1)

const store = (times: number): Promise<void> => inParallel({ times, concurrency: connections }, publish)

serveCommands({
  store,
  fill: store,
  settled: () => untilNone(open),
  hold: () => service.dispatcher.stop(),
  release: () => service.dispatcher.start(),
})
