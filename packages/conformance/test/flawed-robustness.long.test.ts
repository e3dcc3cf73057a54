import type { Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Parts } from './endpoint.ts'
import { describeFlaws, type Flaw } from './flaws.ts'

const kill = (server: Server): void => {
  server.close()
  server.closeAllConnections()
}

const measureDepth = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(measureDepth)) : 0

/** Copies like a careless merge, into whatever object the key refers to, even a prototype. */
const mergeInto = (target: Record<string, unknown>, source: Record<string, unknown>): void => {
  for (const [key, value] of Object.entries(source)) {
    const child = target[key]
    const isNested =
      typeof value === 'object' && value !== null && typeof child === 'object' && child !== null
    if (isNested) mergeInto(child as Record<string, unknown>, value as Record<string, unknown>)
    else target[key] = value
  }
}

/** Responds 503 to what arrives while it handles six others. */
const refuseWhileBusy: Flaw['plant'] = ({ right }) => {
  let active = 0
  return {
    handle: async (event, id) => {
      active += 1
      try {
        if (active > 6) throw new Error('busy')
        await sleep(active > 1 ? 2_000 : 50)
        await right.handle(event, id)
      } finally {
        active -= 1
      }
    },
    respond: (response, status, text) => right.respond(response, status === 500 ? 503 : status, text),
  }
}

/**
 * Handles what has arrived as soon as nothing more arrives for a while. If that fails, handles each event on its own `againMs` later, or
 * never.
 */
const handleInBatches = (right: Parts, { againMs }: { againMs: number | undefined }): Partial<Parts> => {
  const batch: { event: Record<string, unknown>; id: string }[] = []
  const isMalformed = ({ event }: { event: Record<string, unknown> }) => event.summary === null
  const timer = setTimeout(() => {
    const taken = batch.splice(0)
    const handleEach = () => {
      for (const each of taken) if (!isMalformed(each)) void right.handle(each.event, each.id)
    }
    if (!taken.some(isMalformed)) handleEach()
    else if (againMs !== undefined) setTimeout(handleEach, againMs).unref()
  }, 200)
  return {
    handle: (event, id) => {
      batch.push({ event, id })
      timer.refresh()
    },
  }
}

const flaws: Record<string, Flaw> = {
  'responds 501 to methods that it does not know, like http.server of Python': {
    plant: () => ({
      first: ({ method }, response) => {
        if (method === 'POST') return
        response.writeHead(501).end()
        return true
      },
    }),
    fail: [],
    options: { only: ['refuses-get', 'refuses-forgery-on-other-routes', 'refuses-without-failing'] },
  },
  'fails when two deliveries overlap': {
    plant: ({ right }) => {
      let current: unknown
      return {
        handle: async (event, id) => {
          current = event
          await sleep(20)
          if (current !== event) throw new Error('the event of another request')
          await right.handle(event, id)
        },
      }
    },
    fail: ['survives-concurrent-deliveries', 'survives-out-of-order', 'survives-burst'],
  },
  'responds 200 to deliveries that its queue cannot hold': {
    plant: ({ right }) => {
      let active = 0
      return {
        handle: async (event, id) => {
          if (active >= 6) return
          active += 1
          // A single request is fast, so that only a burst fills the queue, but not so fast that those of a burst follow each other.
          await sleep(active > 1 ? 2_000 : 50)
          active -= 1
          await right.handle(event, id)
        },
      }
    },
    fail: ['survives-burst'],
  },
  'remembers deliveries that it refuses because it is busy': {
    plant: refuseWhileBusy,
    fail: ['survives-burst'],
  },
  'refuses deliveries because it is busy, and handles them when they are sent again': {
    plant: ({ right, ...tools }) => {
      const done = new Set<string>()
      const busy = refuseWhileBusy({ right, ...tools })
      return {
        ...busy,
        isDuplicate: (id) => done.has(id),
        handle: async (event, id) => {
          await busy.handle?.(event, id)
          done.add(id)
        },
      }
    },
    fail: [],
    options: { only: ['survives-burst'] },
  },
  'responds 200 before its handler fails': {
    plant: ({ right }) => {
      let count = 0
      return {
        handle: (event, id) => {
          count += 1
          // The first deliveries belong to the control.
          if (count > 11 && count <= 15) return
          right.handle(event, id)
        },
      }
    },
    fail: ['handles-what-it-accepts'],
  },
  'fails under load': {
    plant: ({ right }) => {
      let active = 0
      return {
        handle: async (event, id) => {
          active += 1
          try {
            if (active > 6) throw new Error('pool exhausted')
            await sleep(active > 1 ? 2_000 : 50)
            await right.handle(event, id)
          } finally {
            active -= 1
          }
        },
      }
    },
    fail: ['survives-burst'],
  },
  'is occasionally slow, which is not a mistake': {
    plant: ({ right }) => ({
      handle: async (event, id) => {
        if (event.event === 'GROUP_PARTICIPANT_LEFT') await sleep(900)
        await right.handle(event, id)
      },
    }),
    fail: [],
    options: { limits: { attackMs: 500 } },
  },
  'takes bodies of at most 100 kB': {
    plant: ({ right }) => ({
      first: (request, response) => {
        if (Number(request.headers['content-length'] ?? 0) <= 102_400) return false
        right.respond(response, 413, 'too large')
        return true
      },
    }),
    fail: ['handles-large-body'],
  },
  'keeps each body as it was sent, with both values of a key': {
    plant: ({ effects, right }) => {
      const texts = new WeakMap<object, string>()
      return {
        parse: (body) => {
          const event = right.parse(body)
          texts.set(Object(event), body.toString())
          return event
        },
        handle: (event) => void effects.push(texts.get(event) ?? ''),
      }
    },
    fail: [],
    options: { only: ['survives-duplicate-keys'] },
  },
  'works on a body of any size, however long it takes': {
    plant: ({ right }) => ({
      read: (request) => buffer(request),
      handle: async (event, id) => {
        await right.handle(event, id)
        if ('padding' in event) await new Promise(() => {})
      },
    }),
    fail: ['refuses-oversized-body'],
  },
  'does not respond to a body that a proxy has read to its end': {
    plant: ({ right }) => ({
      read: (request) => buffer(request),
      verify: async (incoming) => {
        if (incoming.body.length > 1_048_576) await new Promise(() => {})
        return right.verify(incoming)
      },
    }),
    // How much the application behind the proxy has read is unknown.
    fail: [],
    options: {
      only: ['refuses-oversized-body', 'refuses-get'],
      limits: { oversizedBytes: 16 * 1_048_576, responseMs: 8_000 },
    },
  },
  'does not respond to a body that it stops reading': {
    plant: ({ right }) => ({
      read: async (request) => {
        if (Number(request.headers['content-length'] ?? 0) > 1_048_576) await new Promise(() => {})
        return right.read(request)
      },
    }),
    // Whether it would have read more is unknown.
    fail: [],
    options: {
      only: ['refuses-oversized-body', 'refuses-get'],
      limits: { oversizedBytes: 16 * 1_048_576, responseMs: 2_000 },
    },
  },
  'limits only bodies that state their length': {
    plant: ({ right }) => ({
      read: (request) =>
        request.headers['content-length'] === undefined ? buffer(request) : right.read(request),
    }),
    fail: [],
    advice: ['refuses-oversized-body'],
    options: { only: ['refuses-oversized-body'] },
  },
  'decodes the body without checking for errors': {
    plant: ({ right }) => ({ parse: (body) => right.parse(Buffer.from(body.toString())) }),
    fail: ['refuses-invalid-utf8'],
  },
  'does not catch errors from JSON.parse': {
    plant: () => ({
      parse: (body) => JSON.parse(body.toString('latin1')) as unknown,
    }),
    fail: ['refuses-invalid-utf8', 'refuses-malformed-json', 'handles-unusual-group-ids'],
  },
  'reads the fields of null': {
    plant: ({ right }) => ({
      parse: (body) => {
        const event = right.parse(body) as { event: string }
        return event.event === undefined ? { ...event } : event
      },
    }),
    fail: ['refuses-json-other-than-object'],
  },
  'reads the summary without checking its type': {
    plant: () => ({
      validate: ({ event, summary }) => {
        if (event === 'CALL_AI_SUMMARY') String((summary as { recap: string }).recap)
        return undefined
      },
    }),
    fail: ['survives-wrong-types'],
  },
  'handles a batch of events in one transaction, which one malformed event undoes': {
    plant: ({ right }) => handleInBatches(right, { againMs: undefined }),
    fail: ['survives-wrong-types'],
    options: { only: ['survives-wrong-types'] },
  },
  'handles a batch of events in one transaction, and each on its own if that fails': {
    plant: ({ right }) => handleInBatches(right, { againMs: 0 }),
    fail: [],
    options: { only: ['survives-wrong-types'] },
  },
  'handles a batch of events in one transaction, and each on its own a good while after that has failed': {
    plant: ({ right }) => handleInBatches(right, { againMs: 12_000 }),
    fail: [],
    options: { only: ['survives-wrong-types'], limits: { retryMs: 60_000 } },
  },
  'merges received objects into its own': {
    plant: ({ effects }) => {
      const shared = {}
      return {
        handle: (event) => {
          const record: Record<string, unknown> = Object.create(shared)
          mergeInto(record, event)
          const line = `${event.event} ${record.callId ?? record.groupId}`
          if (!effects.includes(line)) effects.push(line)
        },
      }
    },
    fail: ['survives-prototype-keys'],
  },
  'merges every summary into an object whose fields come from a prototype': {
    plant: ({ effects }) => {
      const shared: Record<string, unknown> = {}
      return {
        handle: (event) => {
          if (event.event !== 'CALL_AI_SUMMARY') return
          const record: Record<string, unknown> = Object.create(shared)
          mergeInto(record, event)
          const line = `${event.callId} ${record.groupId ?? ''}`
          if (!effects.includes(line)) effects.push(line)
        },
      }
    },
    fail: ['survives-prototype-keys'],
  },
  'parses the body a second time with a different parser': {
    plant: ({ right }) => ({
      handle: async (event, id) => {
        await right.handle(event, id)
        const { raw } = event
        if (typeof raw === 'string') await right.handle({ ...event, callId: raw }, id)
      },
      parse: (body) => {
        const event = right.parse(body)
        const raw = /"callId":"(.*?)"/.exec(body.toString())?.[1]
        return typeof event === 'object' && event && !Array.isArray(event) ? { ...event, raw } : event
      },
    }),
    fail: ['survives-duplicate-keys'],
  },
  'reads one body at a time': {
    plant: ({ right }) => {
      let turn: Promise<unknown> = Promise.resolve()
      return {
        read: (request) => {
          const mine = turn.then(() => right.read(request))
          turn = mine.catch(() => {})
          return mine
        },
      }
    },
    fail: ['survives-slow-body'],
    options: { limits: { responseMs: 1_500 } },
  },
  'dies when a body is truncated': {
    plant: () => ({
      first: (request, response, server) => {
        request.once('aborted', () => {
          if (!response.headersSent && !request.complete) kill(server)
        })
        return false
      },
    }),
    fail: ['survives-aborted-body', 'recovers-after-attacks'],
  },
  'dies of a malformed request line': {
    plant: () => ({
      first: (request, _, server) => {
        if (URL.canParse(request.url ?? '', 'http://localhost')) return false
        kill(server)
        return true
      },
    }),
    fail: ['survives-malformed-request-line', 'recovers-after-attacks'],
  },
  'dies of deep nesting': {
    plant: () => {
      let running: Server | undefined
      return {
        first: (_, __, server) => {
          running = server
          return false
        },
        validate: (event) => {
          try {
            return measureDepth(event) < 0 ? 'impossible' : undefined
          } catch {
            if (running) kill(running)
            return 'too deep'
          }
        },
      }
    },
    fail: ['survives-deep-nesting', 'recovers-after-attacks'],
  },
  'treats GET like POST': {
    plant: () => ({
      first: (request, response) => {
        if (request.method !== 'GET') return false
        response.end('webhook endpoint')
        return true
      },
    }),
    fail: ['refuses-get'],
  },
  'prints a warning like PHP': {
    plant: ({ right }) => ({
      respond: (response, status) => {
        const warning = '<b>Warning</b>:  Undefined property in <b>/srv/app/webhook.php</b> on line <b>40</b>'
        right.respond(response, status, warning)
      },
    }),
    seenBy: ['refuses-unsigned'],
    fail: ['keeps-stacks-out-of-answers'],
  },
  'never ends its responses': {
    plant: () => ({
      respond: (response, status) => {
        response.writeHead(status, { 'content-length': '10' }).write('ok')
      },
    }),
    fail: ['responds-in-time'],
    options: { limits: { responseMs: 500 } },
  },
  'keeps the bytes of all bodies in one buffer': {
    plant: ({ right }) => {
      let bytes: Buffer[] = []
      return {
        read: async (request) => {
          if (Number(request.headers['content-length'] ?? 0) > 1_048_576) return right.read(request)
          for await (const chunk of request) bytes.push(chunk)
          const body = Buffer.concat(bytes)
          bytes = []
          return body
        },
      }
    },
    fail: ['survives-concurrent-deliveries'],
    options: { only: ['survives-concurrent-deliveries'] },
  },
}

describeFlaws('an endpoint that does not withstand its senders is caught for it, and for nothing else', flaws)
