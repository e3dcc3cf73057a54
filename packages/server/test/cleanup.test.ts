import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { examineEndpoint } from '@wabakit/conformance'
import { createReceiver, generateSecret, sqlInbox, standardWebhooks, unsigned } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import { Command } from 'commander'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { define as defineCapture } from '../src/cli/capture.ts'
import { define as defineExec } from '../src/cli/exec.ts'
import { define as defineListen } from '../src/cli/listen.ts'
import { startServer } from '../src/index.ts'
import { acme, control, createGroup, listenForWebhooks, start } from './fixture.ts'
import { listenOnFreePort } from './listen-on-free-port.ts'
import { createPostgresDatabase } from './shared-cluster.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Opens something, uses it and closes it. Resolves to an object that nothing may refer to afterwards. */
type Cycle = () => Promise<object>

/** Uses everything of a server: its database, an endpoint's connection, a live stream, a delayed summary and the metrics. */
const useServers = async (database: string): Promise<Cycle> => {
  const endpoint = await listenForWebhooks()
  // Whatever only this grace period would end is still there when the test looks.
  const shutdownGraceMs = 18_000
  const settings = { port: 0, database, logLevel: 'silent' as const, organizations: [acme], shutdownGraceMs }
  const subscription = { channel: 'WHATSAPP', number: '+15550100001', url: endpoint.url } as const
  const { service, close } = await startServer(settings)
  await service.ready()
  await service.subscriptions.create('acme', subscription)
  await close()
  return async () => {
    const { url, ...server } = await startServer(settings)
    const expected = endpoint.arrivals.length + 1
    const streaming = new AbortController()
    const stream = await fetch(`${url}/_wabakit/organizations/acme/stream`, { signal: streaming.signal })
    await stream.body?.getReader().read()
    await (await createGroup(url)).text()
    await endpoint.arrived(expected)
    await (await fetch(`${url}/metrics`)).text()
    await control({ url }, 'POST /organizations/acme/simulated-calls', { summary: { after: '1h' } })
    streaming.abort()
    await server.close()
    return server.service
  }
}

type InboxReceiver = {
  start(): unknown
  handle(request: Request): Promise<Response>
  stop(): Promise<void>
}

/** Starts a receiver, which stores an event and handles it, and stops it. */
const useReceiver = async (receiver: InboxReceiver, handled: Promise<unknown>): Promise<object> => {
  receiver.start()
  const headers = { 'content-type': 'application/json', 'webhook-id': crypto.randomUUID() }
  const body = JSON.stringify({ event: 'NEW_EVENT' })
  await receiver.handle(new Request('http://localhost', { method: 'POST', body, headers }))
  await handled
  await receiver.stop()
  return receiver
}

/** Runs a command in this process. `use` gets what the command prints when it is ready, and ends it. */
const useCommand = async (
  define: (command: Command) => void,
  { args, use }: { readonly args: readonly string[]; readonly use?: (ready: string) => Promise<unknown> },
): Promise<object> => {
  const ready = Promise.withResolvers<string>()
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    ready.resolve(String(text))
    return true
  })
  const report = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const { exitCode } = process
  const others = process.listeners('SIGTERM')
  try {
    const command = new Command().exitOverride()
    define(command)
    const ended = command.parseAsync([...args], { from: 'user' })
    if (use !== undefined) {
      await use(await Promise.race([ready.promise, ended.then(() => '')]))
      const handlers = process.listeners('SIGTERM').filter((each) => !others.includes(each))
      for (const stop of handlers) stop('SIGTERM')
    }
    await ended
    return command
  } finally {
    process.exitCode = exitCode
    for (const spy of [write, report]) spy.mockRestore()
  }
}

const setups: Readonly<Record<string, () => Promise<Cycle>>> = {
  'servers on SQLite': () => useServers(`${temporaryFolder()}/wabakit.db`),
  'servers on PostgreSQL': async () => useServers(await createPostgresDatabase()),
  'receivers with an inbox on SQLite': async () => {
    const database = new DatabaseSync(':memory:')
    onTestFinished(() => database.close())
    return () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const inbox = sqlInbox(database, { dialect: 'sqlite' })
      return useReceiver(
        createReceiver({ verify: unsigned(), inbox }).onUnknown(() => resolve()),
        promise,
      )
    }
  },
  'receivers with an inbox on a pool': async () => {
    const pool = new pg.Pool({ connectionString: await createPostgresDatabase(), max: 4 })
    onTestFinished(() => pool.end())
    const clients = new Set<pg.PoolClient>()
    pool.on('acquire', (client) => clients.add(client))
    const countListeners = (): number =>
      Math.max(
        ...[pool, ...clients].flatMap((each) => each.eventNames().map((name) => each.listenerCount(name))),
      )
    return async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const receiver = createReceiver({ verify: unsigned(), inbox: sqlInbox(pool) })
      receiver.onUnknown(async (_, { transaction }) => {
        await transaction()
        resolve()
      })
      await useReceiver(receiver, promise)
      expect([pool.totalCount - pool.idleCount, countListeners()]).toEqual([0, 1])
      return receiver
    }
  },
  'commands with a server of their own': async () => () =>
    useCommand(defineExec, { args: ['--', process.execPath, '-e', ''] }),
  'captures of webhooks': async () => {
    const endpoint = await listenForWebhooks()
    const record = `${temporaryFolder()}/webhooks.jsonl`
    const args = ['--port', '0', '--record', record, '--forward-to', endpoint.url, '--format', 'json']
    return () =>
      useCommand(defineCapture, {
        args,
        use: async (ready) => {
          const { url }: { url: string } = JSON.parse(ready)
          const headers = { connection: 'close' }
          await (await fetch(url, { method: 'POST', body: '{}', headers })).text()
        },
      })
  },
  'commands that forward events': async () => {
    const [server, endpoint] = [await start(), await listenForWebhooks()]
    const args = ['--server', server.url, '--organization', 'acme', '--forward-to', endpoint.url]
    return () =>
      useCommand(defineListen, {
        args: [...args, '--format', 'json'],
        use: async () => {
          const expected = endpoint.arrivals.length + 1
          await (await createGroup(server.url)).text()
          await endpoint.arrived(expected)
        },
      })
  },
  'runs of the doctor': async () => {
    const secret = generateSecret()
    const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }) }).onAny(() => {})
    const endpoint = createServer(toNodeHandler(receiver))
    const url = `${await listenOnFreePort(endpoint)}/`
    return () => examineEndpoint({ url, secret, only: ['refuses-get', 'accepts-genuine'] })
  },
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const countOpen = (): number =>
  process.getActiveResourcesInfo().filter((name) => name !== 'Immediate').length +
  process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)

test.each(Object.entries(setups))('six %s leave nothing behind', async (_, setUp) => {
  const cycle = await setUp()
  // Loads everything, and opens the connections that `fetch` keeps.
  await cycle()
  const before = countOpen()
  const used: WeakRef<object>[] = []
  for (let round = 0; round < 6; round++) used.push(new WeakRef(await cycle()))
  // One timer belongs to expect.poll.
  await expect.poll(countOpen).toBeLessThanOrEqual(before + 1)
  const countKept = async (): Promise<number> => {
    await setImmediate()
    collectGarbage()
    return used.filter((each) => each.deref() !== undefined).length
  }
  // A register or a cache of the last use may still refer to some.
  await expect.poll(countKept).toBeLessThanOrEqual(2)
})

/** Counts the timers of libuv. A monitor of the event loop has one, which no other list of resources contains. */
const countTimers = (): number => {
  const { libuv }: { libuv: { type: string; is_active: boolean }[] } = Object(process.report?.getReport())
  return libuv.filter((handle) => handle.type === 'timer' && handle.is_active).length
}

test('servers stop measuring the event loop when they are closed, not when they are collected', async () => {
  const before = countTimers()
  for (let round = 0; round < 5; round++) await (await start()).close()
  // One timer is shared by all of JavaScript, and may have been idle before.
  expect(countTimers()).toBeLessThanOrEqual(before + 1)
})
