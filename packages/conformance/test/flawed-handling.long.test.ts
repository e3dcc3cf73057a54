import type { Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep, setImmediate as yieldTurn } from 'node:timers/promises'
import { header, secret } from './endpoint.ts'
import { describeFlaws, type Flaw } from './flaws.ts'

const kill = (server: Server): void => {
  server.close()
  server.closeAllConnections()
}

const handledTwice = [
  'handles-replay-once',
  'handles-duplicate-once',
  'handles-concurrent-duplicates-once',
  'handles-late-duplicate-once',
  'handles-retry-after-hang-up-once',
  'ignores-unsigned-ids',
  'remembers-for-half-a-minute',
]

const stages: Readonly<Record<string, number>> = {
  CALL_INCOMING_INITIATED: 1,
  CALL_ACCEPTED: 2,
  CALL_ENDED: 3,
  CALL_AI_SUMMARY: 4,
}

const callFields =
  /^(?:event|call\w+|channel\w*|from|to|\w+Number|triggeredVia|durationInSeconds|summary|customerName|isNewCaller)$/
const groupFields = /^(?:event|group\w+|inviteLink|customerPhone|participant\w+)$/

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

const flaws: Record<string, Flaw> = {
  'has no deduplication': {
    plant: ({ effects }) => ({
      isDuplicate: () => false,
      handle: (event) => void effects.push(`${event.event} ${event.callId ?? event.groupId}`),
    }),
    fail: handledTwice,
    advice: ['handles-same-event-under-new-id-once'],
  },
  'deduplicates by id alone': {
    plant: ({ effects }) => ({
      handle: (event) => void effects.push(`${event.event} ${event.callId ?? event.groupId}`),
    }),
    fail: [],
    advice: ['handles-same-event-under-new-id-once'],
  },
  'remembers a hundred ids': {
    plant: ({ effects }) => {
      const seen: string[] = []
      return {
        isDuplicate: (id) => seen.includes(id) || seen.push(id) < 0 || (seen.length > 100 && !seen.shift()),
        handle: (event) => void effects.push(`${event.event} ${event.callId ?? event.groupId}`),
      }
    },
    fail: ['handles-late-duplicate-once'],
    advice: ['handles-same-event-under-new-id-once'],
  },
  'lets a late CALL_ENDED undo the summary': {
    plant: ({ effects, right }) => ({
      handle: (event, id) => {
        const summary = effects.indexOf(`CALL_AI_SUMMARY ${event.callId}`)
        if (event.event === 'CALL_ENDED' && summary !== -1) effects.splice(summary, 1)
        right.handle(event, id)
      },
    }),
    fail: ['keeps-summary-after-late-event'],
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
    fail: ['survives-concurrent-deliveries', 'survives-burst'],
  },
  'looks up an id first and stores it later': {
    plant: ({ effects }) => {
      const seen = new Set<string>()
      return {
        isDuplicate: async (id) => {
          const isKnown = seen.has(id)
          await yieldTurn()
          await yieldTurn()
          seen.add(id)
          return isKnown
        },
        handle: (event) => void effects.push(`${event.event} ${event.callId ?? event.groupId}`),
      }
    },
    fail: ['handles-concurrent-duplicates-once'],
    advice: ['handles-same-event-under-new-id-once'],
  },
  'refuses a duplicate with 409 forever': {
    plant: ({ right }) => {
      const seen = new Set<string>()
      return {
        isDuplicate: () => false,
        receive: async (parts, request, response) => {
          const id = header(request, 'webhook-id')
          const respond: typeof parts.respond = (to, status, text) =>
            status === 200 && seen.size === seen.add(id).size
              ? parts.respond(to, 409, 'duplicate')
              : parts.respond(to, status, text)
          await right.receive({ ...parts, respond }, request, response)
        },
      }
    },
    fail: ['acknowledges-duplicate'],
  },
  'marks a delivery as handled, then stops working when the sender hangs up': {
    plant: ({ right }) => ({
      receive: async (parts, request, response) => {
        let hungUp = false
        request.socket.once('close', () => {
          hungUp = true
        })
        const handle: typeof parts.handle = async (event, id) => {
          // A sender that hangs up does not ask to close the connection.
          if (request.headers.connection !== 'close') await sleep(150)
          if (!hungUp) await right.handle(event, id)
        }
        await right.receive({ ...parts, handle }, request, response)
      },
    }),
    fail: ['handles-retry-after-hang-up-once'],
  },
  'responds 200 to deliveries that its queue cannot hold': {
    plant: ({ right }) => {
      let active = 0
      return {
        handle: async (event, id) => {
          if (active >= 6) return
          active += 1
          // A single request is fast, so that only a burst fills the queue.
          await sleep(active > 1 ? 2_000 : 0)
          active -= 1
          await right.handle(event, id)
        },
      }
    },
    fail: ['survives-burst'],
  },
  'responds 200 before its handler fails': {
    plant: ({ right }) => {
      let count = 0
      return {
        handle: (event, id) => {
          count += 1
          // The first deliveries belong to the control.
          if (count > 8 && count <= 12) return
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
            await sleep(active > 1 ? 2_000 : 0)
            await right.handle(event, id)
          } finally {
            active -= 1
          }
        },
      }
    },
    fail: ['survives-burst'],
  },
  'compares ids without regard to case': {
    plant: ({ right }) => ({ isDuplicate: (id) => right.isDuplicate(id.toLowerCase()) }),
    fail: ['handles-what-it-accepts'],
  },
  'refuses a summary of more than 2 kB': {
    plant: ({ right }) => ({
      parse: (body) => right.parse(body.length > 2_048 ? Buffer.alloc(0) : body),
    }),
    fail: ['handles-large-body', 'accepts-every-event', 'handles-unusual-summaries'],
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
  'refuses an event that it does not use': {
    plant: () => ({ validate: ({ event }) => (event === 'CALL_REJECTED' ? 'not used' : undefined) }),
    fail: ['accepts-every-event'],
  },
  'expects that an ended call was answered': {
    plant: () => ({
      validate: ({ event, callStartedAt }) =>
        event === 'CALL_ENDED' && callStartedAt === '' ? 'no time' : undefined,
    }),
    fail: ['accepts-every-event'],
    options: { only: ['accepts-every-event'] },
  },
  'refuses unknown events': {
    plant: () => ({
      validate: ({ event }) =>
        /^(?:GROUP_(?:CREATED|PART)|CALL_)/.test(String(event)) ? undefined : 'unknown',
    }),
    fail: ['accepts-unknown-event'],
  },
  'knows only names that begin with CALL_ or GROUP_': {
    plant: () => ({
      validate: ({ event }) =>
        event === undefined || /^(?:CALL|GROUP)_/.test(String(event)) ? undefined : 'unknown',
    }),
    fail: ['accepts-unknown-event'],
    options: { only: ['accepts-unknown-event'] },
  },
  'refuses unknown fields': {
    plant: () => ({
      validate: (event) =>
        Object.keys(event).every((key) => callFields.test(key) || groupFields.test(key))
          ? undefined
          : 'strict',
    }),
    fail: ['accepts-every-event', 'accepts-extra-fields', 'accepts-unknown-event'],
  },
  'compares the content type as a whole': {
    plant: () => ({
      first: (request, response) => {
        if (request.headers['content-type'] === 'application/json' || request.method !== 'POST') return false
        request.resume()
        response.writeHead(415).end()
        return true
      },
    }),
    fail: ['accepts-json-with-charset'],
  },
  'refuses an event that is older than the last one of its call': {
    plant: () => {
      const reached = new Map<unknown, number>()
      return {
        validate: ({ event, callId }) => {
          const stage = stages[String(event)] ?? 0
          if (stage === 0) return undefined
          if (stage < (reached.get(callId) ?? 0)) return 'too late'
          reached.set(callId, stage)
          return undefined
        },
      }
    },
    fail: ['survives-out-of-order'],
  },
  'refuses events of a call whose start it has not seen': {
    plant: () => {
      const known = new Set<unknown>()
      return {
        validate: ({ event, callId }) => {
          const stage = stages[String(event)] ?? 0
          if (stage === 1) known.add(callId)
          return stage > 1 && !known.has(callId) ? 'unknown call' : undefined
        },
      }
    },
    fail: ['survives-missing-predecessor'],
  },
  'ignores summaries of a call whose start it has not seen': {
    plant: ({ right }) => {
      const known = new Set<unknown>()
      return {
        handle: (event, id) => {
          const stage = stages[String(event.event)] ?? 0
          if (stage === 1) known.add(event.callId)
          if (stage <= 1 || known.has(event.callId)) right.handle(event, id)
        },
      }
    },
    fail: ['survives-missing-predecessor'],
  },
  'treats a repeated CALL_NOT_PICKED as a conflict': {
    plant: () => {
      const seen = new Set<unknown>()
      return {
        validate: ({ event, callId }) =>
          event === 'CALL_NOT_PICKED' && seen.size === seen.add(callId).size ? 'conflict' : undefined,
      }
    },
    fail: ['survives-repeated-not-picked'],
  },
  'fails without an agentNumber': {
    plant: () => ({
      validate: ({ event, agentNumber }) => {
        if (event === 'CALL_AI_SUMMARY') (agentNumber as string).slice(1)
        return undefined
      },
    }),
    fail: ['handles-every-kind-of-call', 'handles-new-values'],
  },
  'loses summaries of bots after a 200': {
    plant: ({ right }) => ({
      handle: (event, id) => {
        if (event.callType !== 'AI_BOT') right.handle(event, id)
      },
    }),
    fail: ['handles-every-kind-of-call'],
  },
  'loses summaries of outgoing calls after a 200': {
    plant: ({ right }) => ({
      handle: (event, id) => {
        if (event.callDirection !== 'OUTGOING') right.handle(event, id)
      },
    }),
    fail: ['handles-every-kind-of-call'],
  },
  'knows the channels of today only': {
    plant: () => ({
      validate: ({ channel = 'PSTN' }) =>
        /^(?:PSTN|WHATSAPP)$/.test(String(channel)) ? undefined : 'channel',
    }),
    fail: ['handles-new-values'],
  },
  'requires the id of a group': {
    plant: () => ({
      validate: ({ event, groupId }) =>
        event === 'GROUP_CREATED' && typeof groupId !== 'string' ? 'no id' : undefined,
    }),
    fail: ['accepts-unresolved-group'],
  },
  'stores recaps in a column of 4,000 characters': {
    plant: () => ({
      validate: ({ summary }) =>
        String((summary as { recap?: unknown } | undefined)?.recap ?? '').length > 4_000
          ? 'too long'
          : undefined,
    }),
    fail: ['accepts-every-event', 'handles-unusual-summaries', 'handles-large-body'],
  },
  'writes texts into its SQL': {
    plant: () => ({
      validate: (event) => (JSON.stringify(event).includes("'") ? 'syntax error' : undefined),
    }),
    fail: ['handles-unusual-summaries'],
  },
  'loses emoji after a 200': {
    plant: ({ right }) => ({
      handle: (event, id) => {
        if (!/\p{Emoji_Presentation}/u.test(JSON.stringify(event.summary ?? ''))) right.handle(event, id)
      },
    }),
    fail: ['handles-unusual-summaries'],
  },
  'takes a duration of 0 for a missing one': {
    plant: () => ({
      validate: ({ event, durationInSeconds }) =>
        event === 'CALL_AI_SUMMARY' && !durationInSeconds ? 'no duration' : undefined,
    }),
    fail: ['handles-unusual-summaries'],
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
  'drops events about calls of yesterday': {
    plant: ({ right }) => ({
      handle: (event, id) => {
        const age = Date.now() - Date.parse(String(event.callEndedAt))
        // The contract's examples have a fixed time.
        if (!(age > 86_400_000 && age < 7 * 86_400_000)) right.handle(event, id)
      },
    }),
    fail: ['handles-late-event'],
  },
  'cuts ids to 36 characters': {
    plant: () => {
      const seen = new Set<string>()
      return { isDuplicate: (id) => seen.size === seen.add(id.slice(0, 36)).size }
    },
    fail: ['handles-ids-that-begin-alike'],
  },
  'takes x-request-id for the id of a delivery': {
    plant: ({ right, effects }) => ({
      handle: (event) => void effects.push(`${event.event} ${event.callId ?? event.groupId}`),
      receive: (parts, request, response) => {
        const id = request.headers['x-request-id']
        if (typeof id !== 'string') return right.receive(parts, request, response)
        return right.receive({ ...parts, isDuplicate: () => parts.isDuplicate(id) }, request, response)
      },
    }),
    fail: ['ignores-unsigned-ids'],
    advice: ['handles-same-event-under-new-id-once'],
  },
  'deduplicates by the body': {
    plant: ({ effects }) => {
      const seen = new Set<string>()
      return {
        isDuplicate: () => false,
        handle: (event) => {
          if (seen.size === seen.add(JSON.stringify(event)).size) return
          effects.push(`${event.event} ${event.callId ?? event.groupId}`)
        },
      }
    },
    fail: ['handles-identical-events'],
  },
  'remembers ids for half a second': {
    plant: ({ effects }) => {
      const seen = new Map<string, number>()
      return {
        isDuplicate: (id) => {
          const isKnown = performance.now() - (seen.get(id) ?? -Infinity) < 500
          seen.set(id, performance.now())
          return isKnown
        },
        handle: (event) => void effects.push(`${event.event} ${event.callId ?? event.groupId}`),
      }
    },
    fail: ['remembers-for-half-a-minute'],
    advice: ['handles-same-event-under-new-id-once'],
    options: { only: ['remembers-for-half-a-minute', 'handles-same-event-under-new-id-once'] },
  },
  'reads bodies of any size': {
    plant: () => ({
      read: (request) => buffer(request),
    }),
    fail: ['refuses-oversized-body'],
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
  'reveals its secret when it refuses': {
    plant: ({ right }) => ({
      respond: (response, status, text) =>
        right.respond(response, status, status === 401 ? `${text}; is the secret ${secret}?` : text),
    }),
    fail: ['keeps-secrets-out-of-answers'],
  },
  'reveals its stack when it refuses': {
    plant: ({ right }) => ({
      respond: (response, status, text) =>
        right.respond(response, status, status === 401 ? `${new Error(text).stack}` : text),
    }),
    fail: ['keeps-stacks-out-of-answers'],
  },
  'prints a warning like PHP': {
    plant: ({ right }) => ({
      respond: (response, status) => {
        const warning = '<b>Warning</b>:  Undefined property in <b>/srv/app/webhook.php</b> on line <b>40</b>'
        right.respond(response, status, warning)
      },
    }),
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
  'redirects to a trailing slash': {
    plant: () => ({
      first: (_, response) => {
        response.writeHead(308, { location: '/webhooks/' }).end()
        return true
      },
    }),
    fail: ['does-not-redirect'],
  },
  'works for longer than the sender waits': {
    plant: ({ right }) => ({
      handle: async (event, id) => {
        await sleep(2_000)
        await right.handle(event, id)
      },
    }),
    fail: ['responds-in-time'],
    options: { limits: { responseMs: 500 } },
  },
}

describeFlaws('an endpoint that makes one mistake in handling is caught for it, and for nothing else', flaws)
