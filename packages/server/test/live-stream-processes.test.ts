import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startServerProcess } from '../../../tools/torture/server-process.ts'
import { acme, control, createGroup, listenForWebhooks, start } from './fixture.ts'
import { openStream } from './open-stream.ts'
import { createCluster, type PostgresCluster } from './postgres-cluster.ts'
import { temporaryFolder } from './temporary-folder.ts'

let cluster: PostgresCluster

beforeAll(async () => {
  cluster = await createCluster()
}, 60_000)

afterAll(() => cluster.remove())

test('one process streams the events and attempts of others', async () => {
  const database = await cluster.createDatabase()
  const folder = temporaryFolder()
  const startProcess = (name: string, role: string) => {
    const config = join(folder, `${name}.json`)
    const settings = { port: 0, database, role, logLevel: 'silent', organizations: [acme] }
    writeFileSync(config, JSON.stringify(settings))
    const started = startServerProcess({ config, log: `${config}.log` })
    onTestFinished(() => void started.end('SIGKILL'))
    return started.ready.then((url) => ({ url }))
  }
  const [creating, watched] = await Promise.all([
    startProcess('creating', 'api'),
    startProcess('watched', 'api'),
    startProcess('delivering', 'worker'),
  ])
  let answer = 500
  const endpoint = await listenForWebhooks(() => answer)
  await control(creating, 'POST /organizations/acme/subscriptions', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: endpoint.url,
  })
  const stream = await openStream(watched)

  await createGroup(creating.url, { groupId: 'first' })
  const event = await stream.next()
  const failed = await stream.next()
  answer = 200
  await createGroup(creating.url, { groupId: 'second' })
  const [secondEvent, delivered] = [await stream.next(), await stream.next()]

  expect(event).toMatchObject({ event: 'event', data: { name: 'GROUP_CREATED', subject: 'group:first' } })
  expect(failed).toMatchObject({
    event: 'attempt',
    data: { eventId: event?.id, outcome: 'retry', status: 500, url: endpoint.url, number: 1 },
  })
  expect(secondEvent).toMatchObject({ event: 'event', data: { subject: 'group:second' } })
  expect(delivered).toMatchObject({ event: 'attempt', data: { eventId: secondEvent?.id, status: 200 } })
}, 60_000)

test('streams events in order, even if another process commits one after later ones', async () => {
  const database = await cluster.createDatabase()
  const [slow, quick, watched] = [
    await start({ database, role: 'api' }),
    await start({ database, role: 'api' }),
    await start({ database, role: 'api' }),
  ]
  const holder = new pg.Client({ connectionString: database })
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query(`
    CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NEW; END $$;
    CREATE TRIGGER wait BEFORE INSERT ON wabakit.events FOR EACH ROW
    WHEN (NEW.subject = 'group:slow') EXECUTE FUNCTION public.wait();
    SELECT pg_advisory_lock(42)`)
  const waiting = async (): Promise<number | null> =>
    (await holder.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)).rowCount
  const stream = await openStream(watched)

  await createGroup(quick.url, { groupId: 'before' })
  const before = await stream.next()
  const creating = createGroup(slow.url, { groupId: 'slow' })
  await expect.poll(waiting).toBe(1)
  await createGroup(quick.url, { groupId: 'after' })
  // Readers wait for the event that is being written.
  await expect.poll(waiting, { timeout: 5_000 }).toBe(2)
  await holder.query('SELECT pg_advisory_unlock(42)')

  expect((await creating).status).toBe(200)
  const subjects = [before, await stream.next(), await stream.next()].map((each) => each?.data.subject)
  expect(subjects).toEqual(['group:before', 'group:slow', 'group:after'])
}, 30_000)
