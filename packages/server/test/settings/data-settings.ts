import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createReferenceServer } from '@wabakit/core'
import { onTestFinished } from 'vitest'
import { startServer } from '../../src/index.ts'
import { openDatabase } from '../../src/stores/sqlite/open-database.ts'
import { storeOnDatabase } from '../../src/stores/sqlite/sqlite-store.ts'
import { acme, control, createGroup, start } from '../fixture.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type SettingCase, type Settings, startExactly } from './setting-case.ts'

const day = 86_400_000
const ages = [1, 29, 31, 59, 61, 400]

/** Creates a database with a delivered event and its group of each age, in days. */
const fillDatabase = async (): Promise<string> => {
  const path = join(temporaryFolder(), 'wabakit.db')
  const store = storeOnDatabase(openDatabase(path, () => {}))
  let now = 0
  const service = createReferenceServer({
    store,
    organizations: [acme],
    clock: { now: () => now },
    fetch: async () => new Response(),
  })
  for (const age of ages.toReversed()) {
    now = Date.now() - age * day
    await service.ready()
    if ((await service.subscriptions.list('acme')).items.length === 0) {
      const url = 'https://receiver.example/'
      await service.subscriptions.create('acme', { channel: 'WHATSAPP', number: '+15550100001', url })
    }
    const groupId = `${age}-days`
    await service.groups.create('acme', { wabaNumber: '+15550100001', subject: 'Team', groupId })
    await service.dispatcher.runDue()
  }
  await store.close()
  return path
}

/** The ages of the events and of the groups that are kept. */
const seeRetention = async (settings: Partial<Settings>) => {
  const { service } = await start({ ...settings, database: await fillDatabase() })
  return async () => {
    const events = (await service.events.list('acme')).items.map(({ subject }) => subject)
    const groups = await Promise.all(ages.map((age) => service.groups.find('acme', `${age}-days`)))
    return {
      events: ages.filter((age) => events.includes(`group:${age}-days`)),
      groups: ages.filter((_, index) => groups[index] !== undefined),
    }
  }
}

/** Returns the log of a request and a stop. */
const readLog = async (settings: Partial<Settings>): Promise<string[]> => {
  const logStream = new PassThrough()
  const log = text(logStream)
  const own = { port: 0, database: ':memory:', organizations: [acme], ...settings }
  const server = await startServer(own, { logStream })
  onTestFinished(server.close)
  await (await createGroup(server.url)).text()
  await server.close()
  logStream.end()
  return (await log).split('\n').filter(Boolean)
}

/** Returns the statuses of requests of which a fault hits every other one. */
const drawFaults = async (settings: Partial<Settings>): Promise<number[]> => {
  const server = await start({ sandbox: true, ...settings })
  const fault = { endpoint: 'groups.create', status: 500, chance: 0.5, times: 1_000 }
  await control(server, 'POST /faults', fault)
  const statuses: number[] = []
  for (let request = 0; request < 40; request++) statuses.push((await createGroup(server.url)).status)
  return statuses
}

/** Settings for storage, logs and generated values. */
export const dataSettings = {
  database: {
    see: async (settings) => {
      const [folder, before] = [temporaryFolder(), process.cwd()]
      process.chdir(folder)
      onTestFinished(() => process.chdir(before))
      await createGroup((await startExactly({ port: 0, organizations: [acme], ...settings })).url)
      return readdirSync(folder).filter((name) => name.endsWith('.db'))
    },
    cases: [
      [{}, ['wabakit.db']],
      [{ database: 'other.db' }, ['other.db']],
      [{ database: ':memory:' }, []],
    ],
  },
  retentionDays: {
    see: seeRetention,
    cases: [
      [{}, { events: [1, 29], groups: ages }],
      [{ retentionDays: 60 }, { events: [1, 29, 31, 59], groups: ages }],
      [
        { retentionDays: 60, recordRetentionDays: 30 },
        { events: [1, 29, 31, 59], groups: [1, 29] },
      ],
    ],
  },
  recordRetentionDays: {
    see: seeRetention,
    cases: [
      [{}, { events: [1, 29], groups: ages }],
      [{ recordRetentionDays: 60 }, { events: [1, 29], groups: [1, 29, 31, 59] }],
    ],
  },
  organizations: {
    see: async (settings) => {
      const { service } = await startExactly({ port: 0, database: ':memory:', ...settings })
      return (await service.organizations.list()).items.map(({ id }) => id)
    },
    cases: [
      [{}, ['demo']],
      [{ organizations: [{ id: 'own' }] }, ['own']],
    ],
  },
  logLevel: {
    see: async (settings) => {
      const lines = await readLog({ logFormat: 'json', ...settings })
      return [...new Set(lines.map((line) => JSON.parse(line).level))].toSorted()
    },
    cases: [
      [{}, ['info']],
      [{ logLevel: 'debug' }, ['debug', 'info']],
      [{ logLevel: 'error' }, []],
    ],
  },
  logFormat: {
    see: async (settings) => (await readLog(settings)).every((line) => line.startsWith('{')),
    // The stream is not a terminal.
    cases: [
      [{}, true],
      [{ logFormat: 'pretty' }, false],
    ],
  },
  sandbox: {
    see: async (settings) => {
      const fault = { endpoint: 'groups.create', status: 503 }
      return (await control(await start(settings), 'POST /faults', fault)).status
    },
    cases: [
      [{}, 404],
      [{ sandbox: true }, 201],
    ],
  },
  profile: {
    // A live service accepts the key in its own header only.
    see: async (settings) => (await createGroup((await start({ sandbox: true, ...settings })).url)).status,
    cases: [
      [{}, 200],
      [{ profile: 'live' }, 401],
    ],
  },
  live: {
    // Without PSTN calling, there is no summary of any call.
    see: async (settings) => {
      const { url } = await start({ sandbox: true, profile: 'live', ...settings })
      const headers = { authorization: 'wk_test_key_0123456789' }
      return (await fetch(`${url}/v1/call/ai-summary?callId=call-1`, { headers })).status
    },
    cases: [
      [{}, 404],
      [{ live: { pstnCalling: false } }, 403],
    ],
  },
  seed: {
    see: async (settings) => {
      const [one, other] = [await drawFaults(settings), await drawFaults(settings)]
      return one.join() === other.join()
    },
    cases: [
      [{}, false],
      [{ seed: 42 }, true],
    ],
  },
} satisfies Partial<Record<keyof Settings, SettingCase>>
