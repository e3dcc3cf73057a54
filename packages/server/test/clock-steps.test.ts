import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type Clock, createReferenceServer, type Store } from '@wabakit/core'
import { type ClockSources, createServiceClock } from '@wabakit/core/hosting'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startRetention } from '../src/serve/retention.ts'
import { openPostgres, type PostgresDatabase } from '../src/stores/postgres/open-postgres.ts'
import { postgresStore } from '../src/stores/postgres/postgres-store.ts'
import { continueClock } from '../src/stores/sqlite/continued-clock.ts'
import { openDatabase } from '../src/stores/sqlite/open-database.ts'
import { storeOnDatabase } from '../src/stores/sqlite/sqlite-store.ts'
import { acme, control, listenForWebhooks, start } from './fixture.ts'
import { openStream } from './open-stream.ts'
import { createPostgresDatabase } from './shared-cluster.ts'
import { temporaryFolder } from './temporary-folder.ts'

const second = 1_000
const hour = 3_600 * second
const day = 24 * hour
const began = Date.UTC(2026, 0, 1)

/** A database that outlives its servers. */
type Database = {
  open(sources: ClockSources): Promise<{ readonly store: Store; readonly clock: Clock }>
  /** Advances the clock of a database that has its own. */
  pass(ms: number): Promise<unknown>
}

let postgres: PostgresDatabase
beforeAll(async () => {
  postgres = await openPostgres({ url: await createPostgresDatabase() })
  await postgres.query('CREATE TABLE public.clock (now bigint)')
  await postgres.query(
    'CREATE OR REPLACE FUNCTION wabakit.clock_ms() RETURNS bigint LANGUAGE sql VOLATILE RETURN (SELECT now FROM public.clock)',
  )
})
afterAll(async () => {
  await postgres.close()
})

const engines = {
  SQLite: async (): Promise<Database> => {
    const path = join(temporaryFolder(), 'wabakit.db')
    return {
      open: async (sources) => {
        const opened = openDatabase(path)
        const { clock, close } = continueClock(opened, sources)
        return { store: storeOnDatabase({ ...opened, close }), clock }
      },
      pass: async () => {},
    }
  },
  PostgreSQL: async (): Promise<Database> => {
    const store = { ...postgresStore(postgres), close: async () => {} }
    await store.removeOrganization('acme')
    await postgres.query('DELETE FROM public.clock')
    await postgres.query('INSERT INTO public.clock VALUES ($1)', [began])
    return {
      open: async (sources) => {
        const [row] = await postgres.read<{ now: number }>('SELECT now::double precision FROM public.clock')
        return { store, clock: createServiceClock({ ...sources, startAt: row?.now }) }
      },
      pass: (ms) => postgres.query('UPDATE public.clock SET now = now + $1', [ms]),
    }
  },
}

/** Creates a server, whose wall clock can be stepped, and an endpoint. */
const createScenario = async (database: Database) => {
  const machine = { wall: began, elapsed: 0 }
  const endpoint = { status: 200, received: [] as { body: string; timestamp: number }[] }
  const sources = { wall: () => machine.wall, elapsed: () => machine.elapsed }

  const startService = async () => {
    const { store, clock } = await database.open(sources)
    onTestFinished(store.close)
    const service = createReferenceServer({
      store,
      clock,
      organizations: [acme],
      delivery: { random: () => 0 },
      fetch: async (_, { body, headers }) => {
        endpoint.received.push({ body, timestamp: Number(headers['webhook-timestamp']) })
        return new Response(null, { status: endpoint.status })
      },
    })
    await service.ready()
    return { store, clock, service }
  }

  let running = await startService()
  const { id } = await running.service.subscriptions.create('acme', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: 'https://receiver.example/',
  })

  return {
    machine,
    endpoint,
    service: () => running.service,
    createGroup: (groupId: string) =>
      running.service.groups.create('acme', { wabaNumber: '+15550100001', subject: 'Team', groupId }),
    /** Advances both clocks, and sends all deliveries that become due. */
    pass: async (ms: number) => {
      machine.wall += ms
      // Monotonic clocks count fractions.
      machine.elapsed += ms + 0.25
      await database.pass(ms)
      await running.service.dispatcher.runDue()
    },
    /** Steps the wall clock. */
    step: (ms: number) => {
      running.clock.now()
      machine.wall += ms
    },
    restart: async (whileStopped: () => Promise<void> | void) => {
      await running.store.close()
      await whileStopped()
      machine.elapsed = 0
      running = await startService()
    },
    prune: async () => {
      const { store, clock } = running
      await startRetention({
        store,
        clock,
        keptMs: 30 * day,
        recordsKeptMs: 30 * day,
        onError: (error) => expect.unreachable(String(error)),
      })()
    },
    listStatuses: async () =>
      (await running.service.deliveries.list('acme')).items.map(({ status }) => status),
    findSubscription: () => running.service.subscriptions.find('acme', id),
  }
}

describe.each(Object.entries(engines))('on %s', (_, createDatabase) => {
  test('a retry is made on time when the clock is set 2 days back', async () => {
    const scenario = await createScenario(await createDatabase())
    scenario.endpoint.status = 500
    await scenario.createGroup('a')
    await scenario.pass(0)
    scenario.step(-2 * day)
    scenario.endpoint.status = 200
    await scenario.pass(5 * second)
    expect(await scenario.listStatuses()).toEqual(['delivered'])
    await scenario.createGroup('b')
    await scenario.pass(0)
    expect(await scenario.listStatuses()).toEqual(['delivered', 'delivered'])
  })

  test.each([6 * day, -2 * day])(
    'payloads and signatures follow the wall clock after a step by %i ms',
    async (step) => {
      const scenario = await createScenario(await createDatabase())
      scenario.step(step)
      await scenario.createGroup('a')
      await scenario.service().participants.join('acme', { groupId: 'a', phone: '+4930901820' })
      const { callId } = await scenario.service().calls.start('acme', {
        channel: 'WHATSAPP',
        direction: 'INCOMING',
        channelNumber: '+15550100001',
        customerNumber: '+4930901820',
      })
      await scenario.service().calls.accept('acme', callId)
      await scenario.pass(0)
      const { wall } = scenario.machine
      const time = new Date(wall).toISOString()
      const { received } = scenario.endpoint
      for (const each of received) expect(each.timestamp).toBe(wall / second)
      expect(received.map(({ body }) => JSON.parse(body))).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ event: 'GROUP_CREATED', groupCreatedAt: time }),
          expect.objectContaining({ event: 'GROUP_PARTICIPANT_JOINED', participantJoinedAt: time }),
          expect.objectContaining({ event: 'CALL_ACCEPTED', callStartedAt: time }),
        ]),
      )
    },
  )

  test.each([40 * day, -2 * day])('a restart after a step by %i ms changes nothing', async (step) => {
    const scenario = await createScenario(await createDatabase())
    await scenario.createGroup('a')
    await scenario.pass(0)
    scenario.endpoint.status = 500
    await scenario.createGroup('b')
    await scenario.pass(0)
    scenario.step(step)
    await scenario.restart(() => {})
    await scenario.prune()
    expect(await scenario.listStatuses()).toEqual(['delivered', 'pending'])
    await scenario.pass(5 * second)
    expect(scenario.endpoint.received).toHaveLength(3)
    expect(await scenario.findSubscription()).toMatchObject({ enabled: true })
  })

  test('a step back while the server is stopped delays nothing', async () => {
    const scenario = await createScenario(await createDatabase())
    scenario.endpoint.status = 500
    await scenario.createGroup('a')
    await scenario.pass(0)
    await scenario.restart(() => scenario.step(-2 * day))
    await scenario.pass(5 * second)
    expect(scenario.endpoint.received).toHaveLength(2)
  })

  test('time passes while the server is stopped', async () => {
    const database = await createDatabase()
    const scenario = await createScenario(database)
    scenario.endpoint.status = 500
    await scenario.createGroup('a')
    await scenario.pass(0)
    await scenario.restart(async () => {
      scenario.machine.wall += 8 * hour
      await database.pass(8 * hour)
    })
    await scenario.pass(0)
    expect(scenario.endpoint.received).toHaveLength(2)
  })
})

const getSummary = ({ url }: { readonly url: string }) =>
  fetch(`${url}/v1/call/ai-summary?callId=c1`, { headers: { authorization: 'wk_test_key_0123456789' } })

test.each([-hour, hour])(
  'a running server streams, limits, logs and measures as before when its clock is set by %i ms',
  async (step) => {
    let stepped = 0
    const { now } = Date
    const wall = vi.spyOn(Date, 'now').mockImplementation(() => now() + stepped)
    onTestFinished(() => wall.mockRestore())
    const log: string[] = []
    const logStream = new Writable({
      write: (chunk, _encoding, done) => {
        log.push(String(chunk))
        done()
      },
    })
    const endpoint = await listenForWebhooks()
    const server = await start(
      { logLevel: 'info', logFormat: 'json', rateLimitPerOrganization: 1, allowPrivateTargets: true },
      { logStream },
    )
    const subscription = { channel: 'WHATSAPP', number: '+15550100001', url: endpoint.url }
    await control(server, 'POST /organizations/acme/subscriptions', subscription)
    const stream = await openStream(server)
    const publish = async (groupId: string) => {
      await server.service.groups.create('acme', { wabaNumber: '+15550100001', subject: 'Team', groupId })
      const [event, attempt] = [await stream.next(), await stream.next()]
      expect(event).toMatchObject({ event: 'event', data: { subject: `group:${groupId}` } })
      expect(attempt).toMatchObject({ event: 'attempt', data: { eventId: event?.id, outcome: 'delivered' } })
      expect(attempt?.data.durationMs).toBeGreaterThanOrEqual(0)
    }

    await publish('before')
    expect((await getSummary(server)).status).toBe(404)
    stepped = step
    await publish('after')
    const refused = await getSummary(server)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    const requestId = refused.headers.get('x-request-id')
    const lines = log.map((line) => JSON.parse(line))
    expect(lines).toContainEqual(expect.objectContaining({ requestId, status: 429, msg: 'request' }))
    const words = step > 0 ? 'forward' : 'back'
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: `The clock of this machine was set ${words} by 3600 s. Due times, leases and retention continue without the step.`,
      }),
    )
  },
)
