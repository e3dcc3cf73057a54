import { setTimeout as sleep, setImmediate as yieldTurn } from 'node:timers/promises'
import { header } from './endpoint.ts'
import { describeFlaws, type Flaw } from './flaws.ts'

const flaws: Record<string, Flaw> = {
  'deduplicates by id alone': {
    plant: ({ effects }) => ({
      handle: (event) => void effects.push(`${event.event} ${event.callId ?? event.groupId}`),
    }),
    fail: [],
    advice: ['handles-same-event-under-new-id-once'],
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
  'compares ids without regard to case': {
    plant: ({ right }) => ({ isDuplicate: (id) => right.isDuplicate(id.toLowerCase()) }),
    fail: ['handles-what-it-accepts'],
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
    fail: ['remembers-for-a-minute'],
    advice: ['handles-same-event-under-new-id-once'],
    options: { only: ['remembers-for-a-minute', 'handles-same-event-under-new-id-once'] },
  },
  'remembers 135 ids': {
    plant: ({ effects }) => {
      const seen: string[] = []
      return {
        isDuplicate: (id) => seen.includes(id) || seen.push(id) < 0 || (seen.length > 135 && !seen.shift()),
        handle: (event) => void effects.push(`${event.event} ${event.callId ?? event.groupId}`),
      }
    },
    // The event that is repeated last comes again after 140 others.
    seenBy: ['handles-duplicate-once', 'handles-late-duplicate-once'],
    fail: ['remembers-for-a-minute'],
    advice: ['handles-same-event-under-new-id-once'],
  },
  'reads, changes and writes the participants of a group': {
    plant: ({ effects }) => {
      const groups = new Map<unknown, readonly string[]>()
      return {
        handle: async (event) => {
          const { groupId, callId, customerPhone } = event
          const members = groups.get(groupId) ?? []
          await sleep(20)
          groups.set(groupId, [...members, String(customerPhone)])
          const line = `${groupId} has `
          const index = effects.findIndex((each) => each.startsWith(line))
          if (callId !== undefined) effects.push(`${event.event} ${callId}`)
          else effects.splice(index < 0 ? effects.length : index, 1, line + groups.get(groupId)?.join())
        },
      }
    },
    fail: ['handles-each-participant'],
    options: { only: ['handles-each-participant'] },
  },
  'remembers a header that its sender does not have': {
    plant: ({ effects, right }) => ({
      verify: () => undefined,
      handle: (event) => void effects.push(`${event.event} ${event.callId ?? event.groupId}`),
      isDuplicate: (id) => right.isDuplicate(`${id}:`),
    }),
    fail: ['handles-what-it-accepts'],
    options: {
      ...{ secret: undefined, previousSecret: undefined, headers: { 'x-token': 'a-token' } },
      only: ['handles-what-it-accepts'],
    },
  },
  'remembers the ids of some events only': {
    plant: ({ effects, right }) => ({
      isDuplicate: () => false,
      receive: (parts, request, response) => {
        const id = header(request, 'webhook-id')
        const handle: typeof parts.handle = async (event) => {
          const isRemembered = event.event !== 'GROUP_PARTICIPANT_JOINED'
          if (isRemembered && (await right.isDuplicate(id))) return
          effects.push(`${event.event} ${event.callId ?? event.groupId}`)
        }
        return right.receive({ ...parts, handle }, request, response)
      },
    }),
    fail: ['handles-duplicate-once'],
    options: { only: ['handles-duplicate-once'] },
  },
  'knows a participant by group and number forever': {
    plant: ({ effects }) => ({
      handle: (event) => {
        const line = `${event.event} ${event.callId ?? event.groupId} ${event.customerPhone ?? ''}`
        if (!effects.includes(line)) effects.push(line)
      },
    }),
    fail: ['handles-each-participant'],
    options: { only: ['handles-each-participant'] },
  },
}

describeFlaws('an endpoint that loses or repeats deliveries is caught for it, and for nothing else', flaws)
