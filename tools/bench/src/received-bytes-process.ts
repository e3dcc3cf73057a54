import { subscribe } from 'node:diagnostics_channel'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createAdaptorServer } from '@hono/node-server'
import { createClient } from '@wabakit/client'
import { createMock } from '@wabakit/mock'
import { startServer } from '@wabakit/server'
import {
  createReceiver,
  generateSecret,
  memoryDedupe,
  standardWebhooks,
  staticHeader,
} from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import { Hono } from 'hono'
import { payload } from './call-ai-summary.ts'
import { listen, serveCommands } from './commands.ts'

// A process that receives bytes. The arguments are the kind of program, and the port that outgoing requests go to. It
// first sends the URL that takes bytes, if it has one. `send` starts the given number of outgoing requests. `received`
// returns the number of bytes that all sockets have received. `collect` collects garbage.
const [kind = '', port = ''] = process.argv.slice(2)
const target = `http://127.0.0.1:${port}`

const sockets = new Set<Socket>()
for (const name of ['net.server.socket', 'net.client.socket', 'tracing:net.server.socket'])
  subscribe(name, (message) => void sockets.add(Object(message).socket))

/** Collects bytes in one growing buffer, as every program must that parses a body as a whole. */
const createFloor = () => {
  let buffer = Buffer.alloc(0)
  let length = 0
  return (chunk: Uint8Array): void => {
    if (length + chunk.length > buffer.length) {
      const grown = Buffer.alloc(Math.max(length + chunk.length, 2 * buffer.length))
      buffer.copy(grown)
      buffer = grown
    }
    buffer.set(chunk, length)
    length += chunk.length
  }
}

const receiver = createReceiver({
  verify: standardWebhooks({ secrets: [generateSecret()] }),
  dedupe: memoryDedupe(),
  // A loaded machine may need longer for all of the bodies.
  bodyTimeoutMs: 120_000,
}).onError(() => {})

/** A receiver whose secret never arrives. */
const slowReceiver = createReceiver({
  verify: staticHeader({ header: 'webhook-id', value: () => new Promise(() => {}) }),
  bodyTimeoutMs: 120_000,
})

const startHono = async (handler: Pick<typeof receiver, 'handle'>) => {
  const app = new Hono().post('*', (c) => handler.handle(c))
  return { url: await listen(createAdaptorServer({ fetch: app.fetch })) }
}

const apiKey = 'wk_bench_0123456789'
const numbers = Array.from({ length: 360 }, (_, index) => `+${15_550_100_000 + index}`)
const startWabakit = () =>
  startServer({
    port: 0,
    database: ':memory:',
    logLevel: 'silent',
    organizations: [
      {
        id: 'bench',
        integrations: numbers.map((wabaNumber) => ({ wabaNumber })),
        apiKeys: [{ key: apiKey }],
      },
    ],
  })

type Program = { readonly url?: string; readonly send?: (requests: number) => unknown }

const programs: Readonly<Record<string, () => Promise<Program>>> = {
  'bare handler': async () => ({
    url: await listen(createServer((request) => void request.on('data', createFloor()))),
  }),
  'receiver on node:http': async () => ({ url: await listen(createServer(toNodeHandler(receiver))) }),
  'receiver, no signature': async () => ({ url: await listen(createServer(toNodeHandler(receiver))) }),
  'receiver on Hono': () => startHono(receiver),
  'receiver, slow secret': () => startHono(slowReceiver),
  'server, a page': async () => ({ url: `${(await startWabakit()).url}/_wabakit/inspector` }),
  'server, no key': async () => ({ url: `${(await startWabakit()).url}/v1/call/ai-summary` }),
  'mock on a port': async () => {
    const mock = await createMock({ port: 0 })
    return { url: `${mock.url}/whatsapp/wa-group/create` }
  },
  'server, API': async () => ({ url: `${(await startWabakit()).url}/whatsapp/wa-group/create` }),
  'server, attempts': async () => {
    const { service } = await startWabakit()
    return {
      send: async (attempts) => {
        // A new subscription has one attempt at a time.
        for (const [nth, number] of numbers.slice(0, attempts).entries()) {
          await service.subscriptions.create('bench', {
            channel: 'WHATSAPP',
            number,
            url: `${target}/${nth}`,
          })
          await service.events.publish('bench', {
            name: 'CALL_AI_SUMMARY',
            subject: `call:${nth}`,
            channel: 'WHATSAPP',
            number,
            payload,
          })
        }
      },
    }
  },
  'bare fetch': async () => ({
    send: async (requests) => {
      for (let nth = 0; nth < requests; nth += 1)
        void fetch(target).then(async ({ body }) => {
          const add = createFloor()
          for await (const chunk of body ?? []) add(chunk)
        })
    },
  }),
  client: async () => {
    const client = createClient({ baseUrl: target, apiKey })
    return {
      send: (requests) => {
        for (let nth = 0; nth < requests; nth += 1) client.calls.getSummary(`call_${nth}`).catch(() => {})
      },
    }
  },
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const start = programs[kind]
if (start === undefined) throw new Error(`There is no program ${kind}.`)
const { url, send } = await start()
serveCommands(
  {
    send: (requests) => send?.(requests),
    received: () => [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    collect: async () => {
      for (let turn = 0; turn < 3; turn += 1) {
        collectGarbage()
        await sleep(50)
      }
    },
  },
  url,
)
