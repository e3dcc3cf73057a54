import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { buildEvent, buildGroup } from '../../core/test/store-cases/index.ts'
import { openPostgres, postgresStore } from '../src/stores/postgres/index.ts'
import { control, createGroup, listenForWebhooks, start } from './fixture.ts'
import { openStream } from './open-stream.ts'
import { awaitedAdvisoryLocks, createPostgresDatabase } from './shared-cluster.ts'

test('one process streams the events of others, and no role of the database gets more than ids', async () => {
  const database = await createPostgresDatabase()
  const creating = await start({ database, role: 'api' })
  const watched = await start({ database, role: 'api' })
  await start({ database, role: 'worker' })
  const endpoint = await listenForWebhooks(() => ({ status: 500, body: 'customer Ann' }))
  await control(creating, 'POST /organizations/acme/subscriptions', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: `${endpoint.url}?token=secret`,
  })
  const role = `of_${new URL(database).pathname.slice(1)}`
  const admin = new pg.Client({ connectionString: database })
  await admin.connect()
  await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'other'`)
  onTestFinished(async () => {
    await admin.query(`DROP ROLE ${role}`)
    await admin.end()
  })
  const other = new pg.Client({ connectionString: database.replace('wabakit:wabakit', `${role}:other`) })
  await other.connect()
  onTestFinished(() => other.end())
  const heard: string[] = []
  other.on('notification', ({ channel, payload }) => heard.push(`${channel} ${payload}`))
  for (const channel of ['wabakit_changes', 'wabakit_attempts', 'wabakit_followed']) {
    await other.query(`LISTEN ${channel}`)
  }
  const stream = await openStream(watched)

  await createGroup(creating.url, { groupId: 'first' })
  const event = await stream.next()
  await endpoint.arrived(1)
  await expect.poll(() => heard.length).toBeGreaterThan(0)

  expect(event).toMatchObject({ event: 'event', data: { name: 'GROUP_CREATED', subject: 'group:first' } })
  // A notification contains only the id of its process. Receivers read the changes from the tables.
  for (const each of heard) expect(each).toMatch(/^wabakit_changes [0-9a-f-]{36}$/)
})

test('streams events in order, even if another process commits one after later ones', async () => {
  const database = await createPostgresDatabase()
  const [quick, watched] = [await start({ database, role: 'api' }), await start({ database, role: 'api' })]
  // A statement of a server would end after 10 s, which is too early on a busy machine.
  const slow = postgresStore(await openPostgres({ url: database, statementTimeoutMs: 120_000 }))
  onTestFinished(slow.close)
  const holder = new pg.Client({ connectionString: database })
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query(`
    CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NEW; END $$;
    CREATE TRIGGER wait BEFORE INSERT ON wabakit.events FOR EACH ROW
    WHEN (NEW.subject = 'group:slow') EXECUTE FUNCTION public.wait();
    SELECT pg_advisory_lock(42)`)
  const waiting = async (): Promise<number> => (await holder.query(awaitedAdvisoryLocks)).rows.length
  let stream = await openStream(watched)
  let lastEventId = ''
  // If the stream ends, because its read has waited for 10 s, this connects again, as clients do.
  const readSubject = async (): Promise<unknown> => {
    for (;;) {
      const message = await stream.next()
      lastEventId = message?.id ?? lastEventId
      if (message !== undefined) return message.data.subject
      stream = await openStream(watched, '', { 'last-event-id': lastEventId })
    }
  }

  await createGroup(quick.url, { groupId: 'before' })
  const before = await readSubject()
  const group = buildGroup({ clientCustomGroupId: 'slow' })
  const event = buildEvent({ subject: 'group:slow', occurredAt: Date.now() })
  const creating = slow.createGroup({ group, event })
  await expect.poll(waiting).toBeGreaterThanOrEqual(1)
  await createGroup(quick.url, { groupId: 'after' })
  const next = readSubject()
  // Readers wait for the event that is being written.
  await expect.poll(waiting).toBeGreaterThanOrEqual(2)
  await holder.query('SELECT pg_advisory_unlock(42)')

  expect(await creating).toMatchObject({ outcome: 'created' })
  const subjects = [before, await next, await readSubject()]
  expect(subjects).toEqual(['group:before', 'group:slow', 'group:after'])
})
