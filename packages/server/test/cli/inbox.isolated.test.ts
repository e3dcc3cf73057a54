import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  createReceiver,
  type Inbox,
  type InboxContext,
  type InboxEntries,
  sqlInbox,
  unsigned,
} from '@wabakit/webhooks'
import { expect, onTestFinished, test } from 'vitest'
import { sharePostgres } from '../../../webhooks/test/postgres.ts'
import { damageOverflowPage } from '../damage-overflow-page.ts'
import { folder, wabakitHere as wabakit } from './wabakit.ts'

const read = (stdout: string) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

/** Stores an event that fails, an unknown event, one that is handled, and one without a handler. */
const fill = async <Of extends Inbox<InboxContext<unknown, unknown>>>(inbox: Of): Promise<Of> => {
  const receiver = createReceiver({ verify: unsigned(), inbox })
    .on('CALL_ENDED', () => {
      throw new Error('no such order')
    })
    .on('GROUP_CREATED', () => {})
    .onError(() => {})
  await receiver.accept('{"event":"CALL_ENDED","callId":"call-1"}')
  await receiver.accept('{"event":"CALL_TRANSFERRED","callId":"call-1"}')
  await receiver.accept('{"event":"GROUP_CREATED","groupId":"order-7"}')
  await receiver.accept('{"event":"CALL_REJECTED","callId":"call-2"}')
  await receiver.drain()
  await receiver.stop()
  return inbox
}

const table = 'order_webhooks'
const options = { table, maxAttempts: 1, onParked: () => {} }

const tryCommands = async (database: string, inbox: InboxEntries): Promise<void> => {
  const run = (...args: string[]) => wabakit(['inbox', ...args, '--database', database, '--table', table])
  const json = async (...args: string[]) => read((await run(...args, '--format', 'json')).stdout)

  expect(await json('list')).toMatchObject([
    { name: 'CALL_ENDED', subject: 'call:call-1', state: 'parked', reason: 'failed' },
    { name: 'CALL_TRANSFERRED', state: 'parked', reason: 'unknown' },
    { name: 'GROUP_CREATED', subject: 'group:order-7', state: 'handled' },
    { name: 'CALL_REJECTED', state: 'unhandled' },
  ])
  const [failed] = await json('list', '--reason', 'failed')
  expect((await run('list', '--state', 'parked', '--limit', '1')).stderr).toBe(`More: --after ${failed.id}\n`)
  const listOne = async (...args: string[]) => (await json('list', ...args)).map(({ name }) => name)
  expect(
    await Promise.all([
      listOne('--after', failed.id, '--limit', '1'),
      listOne('--call', 'call-1', '--event', 'CALL_TRANSFERRED'),
      listOne('--group', 'order-7'),
    ]),
  ).toEqual([['CALL_TRANSFERRED'], ['CALL_TRANSFERRED'], ['GROUP_CREATED']])
  const { stdout } = await run('show', failed.id)
  expect(stdout).toContain('no such order')
  expect(stdout).toContain('{"event":"CALL_ENDED","callId":"call-1"}')
  expect(await run('show', '999999')).toMatchObject({ code: 1, stdout: '' })

  expect(await run('retry')).toMatchObject({ code: 2, stderr: expect.stringContaining('--state parked') })
  expect(await json('retry', failed.id)).toEqual([{ retried: 1 }])
  expect(await inbox.show(failed.id)).toMatchObject({ state: 'stored', attempts: 0 })

  expect(await run('discard', '--reason', 'unknown')).toMatchObject({ code: 2, stdout: '' })
  expect(await json('discard', '--reason', 'unknown', '--yes')).toEqual([{ discarded: 1 }])
  expect(await json('retry', '--state', 'unhandled')).toEqual([{ retried: 1 }])
  expect(await inbox.count()).toEqual({ stored: 2, discarded: 1, handled: 1 })
}

test('inbox lists, shows, retries and discards entries of a SQLite file', async () => {
  const database = join(folder, 'orders.db')
  const sqlite = new DatabaseSync(database)
  await tryCommands(database, await fill(sqlInbox(sqlite, options)))
  sqlite.close()
})

test('inbox lists, shows, retries and discards entries of a PostgreSQL database', async () => {
  const postgres = await sharePostgres()
  onTestFinished(() => postgres.stop())
  await tryCommands(postgres.connectionString, await fill(sqlInbox(postgres.pool(), options)))
})

test('inbox shows an entry whose body is damaged, and names the damage', async () => {
  const database = join(folder, 'damaged.db')
  const sqlite = new DatabaseSync(database)
  const receiver = createReceiver({ verify: unsigned(), inbox: sqlInbox(sqlite, { dialect: 'sqlite' }) })
  await receiver.accept(`{"event":"CALL_ENDED","callId":"call-1","pad":"${'x'.repeat(20_000)}"}`)
  sqlite.close()
  damageOverflowPage(database)
  const { stdout } = await wabakit(['inbox', 'show', '1', '--database', database])
  expect(stdout).toContain('call:call-1')
  expect(stdout).toMatch(/Entry 1 of wabakit_inbox cannot be read: body \(.*malformed/)
})

test('inbox creates neither a file nor a table', async () => {
  const missing = await wabakit(['inbox', 'list', '--database', join(folder, 'missing.db')])
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no file') })
  const unsupported = await wabakit(['inbox', 'list', '--database', 'mysql://user:s3cret@localhost/orders'])
  expect(unsupported).toMatchObject({ code: 2, stderr: expect.not.stringContaining('s3cret') })
  const other = join(folder, 'other.txt')
  writeFileSync(other, 'not a database')
  const noDatabase = await wabakit(['inbox', 'list', '--database', other])
  expect(noDatabase).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^The database .+: file is not a database.+\n$/),
  })
  const directory = await wabakit(['inbox', 'list', '--database', folder])
  expect(directory).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no file') })
  const database = join(folder, 'empty.db')
  const sqlite = new DatabaseSync(database)
  sqlite.exec('CREATE TABLE orders (id INTEGER)')
  const empty = await wabakit(['inbox', 'list', '--database', database])
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('no table wabakit_inbox') })
  expect(sqlite.prepare('SELECT name FROM sqlite_master').all()).toEqual([{ name: 'orders' }])
  sqlite.close()
})
