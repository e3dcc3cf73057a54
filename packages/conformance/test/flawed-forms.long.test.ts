import { setTimeout as sleep } from 'node:timers/promises'
import { createVerify, header, type Parts, type Tools } from './endpoint.ts'
import { describeFlaws, type Flaw } from './flaws.ts'

type Fields = Readonly<Record<string, unknown>>

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const isSummary = ({ event }: Fields): boolean => event === 'CALL_AI_SUMMARY'
const name = ({ event, callId, groupId }: Fields): string => `${event} ${callId ?? groupId}`

const refuseIf = (isWrong: (event: Fields) => boolean): Flaw['plant'] => {
  return () => ({ validate: (event) => (isWrong(event) ? 'invalid' : undefined) })
}

const loseIf =
  (isWrong: (event: Fields, id: string) => boolean): Flaw['plant'] =>
  ({ right }) => ({
    handle: async (event, id) => {
      if (!isWrong(event, id)) await right.handle(event, id)
    },
  })

/** Keeps one line per key. */
const keepOne =
  (key: (event: Fields) => string): Flaw['plant'] =>
  ({ right }) => {
    const seen = new Set<string>()
    return {
      handle: async (event, id) => {
        if (seen.size !== seen.add(key(event)).size) await right.handle(event, id)
      },
    }
  }

/** Keeps connections alive, and treats every request but the first of each as `rest` does. */
const firstOnly =
  (rest: (...[request, response]: Parameters<Parts['first']>) => void) => (): Partial<Parts> => {
    const used = new WeakSet<object>()
    return {
      first: (request, response, server) => {
        if (!used.has(request.socket)) return void used.add(request.socket)
        rest(request, response, server)
        return true
      },
      respond: (response, status, text) => {
        if (!response.headersSent) response.writeHead(status).end(text)
      },
    }
  }

const failAfter = ({ right }: Tools, isFailing: (event: Fields) => boolean): Partial<Parts> => ({
  handle: async (event, id) => {
    await right.handle(event, id)
    if (isFailing(event)) throw new Error('The response could not be written.')
  },
})

const flaws: Record<string, Flaw> = {
  'reads only the first request of a connection': {
    plant: firstOnly(() => {}),
    fail: ['handles-each-request-of-a-connection'],
    options: { limits: { responseMs: 1_500 }, only: ['handles-each-request-of-a-connection'] },
  },
  'loses what follows on a connection': {
    plant: firstOnly((request, response) => request.resume().on('end', () => response.end())),
    fail: ['handles-each-request-of-a-connection'],
  },
  'takes only times in UTC': {
    plant: refuseIf((event) => isSummary(event) && !String(event.callStartedAt).endsWith('Z')),
    fail: ['handles-unusual-summaries'],
  },
  'takes only times of RFC 3339': {
    plant: refuseIf(
      (event) =>
        isSummary(event) &&
        !/T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(String(event.callStartedAt)),
    ),
    fail: ['handles-unusual-summaries'],
    options: { only: ['handles-unusual-summaries'] },
  },
  'loses summaries whose times have an offset': {
    plant: loseIf((event) => isSummary(event) && !String(event.callEndedAt).endsWith('Z')),
    fail: ['handles-unusual-summaries'],
  },
  'stores callIds in a column of 64 characters': {
    plant: refuseIf(({ callId }) => String(callId).length > 64),
    fail: ['handles-unusual-ids'],
  },
  'takes only letters and digits in callIds': {
    plant: refuseIf(({ callId }) => callId !== undefined && !/^[\w-]+$/.test(String(callId))),
    fail: ['handles-unusual-ids'],
  },
  'reads callIds as numbers where it can': {
    plant: ({ right }) => ({
      handle: ({ callId, ...event }, id) =>
        right.handle({ ...event, callId: /^\d+$/.test(String(callId)) ? Number(callId) : callId }, id),
    }),
    fail: ['handles-unusual-ids'],
  },
  'compares events without regard to case': {
    plant: keepOne((event) => name(event).toLowerCase()),
    fail: ['handles-what-it-accepts'],
  },
  'requires that a callId is a UUID': {
    plant: refuseIf(({ callId }) => callId !== undefined && !uuid.test(String(callId))),
    fail: ['accepts-genuine'],
    options: { only: ['accepts-genuine'] },
  },
  'loses deliveries whose webhook-id is not a UUID': {
    plant: loseIf((_, id) => !uuid.test(id)),
    fail: ['accepts-genuine'],
    options: { only: ['accepts-genuine'] },
  },
  'cuts webhook-ids to 24 characters': {
    plant: () => {
      const seen = new Set<string>()
      return { isDuplicate: (id) => seen.size === seen.add(id.slice(0, 24)).size }
    },
    fail: ['handles-ids-that-begin-alike'],
  },
  'cuts webhook-ids to 15 characters, the size of a buffer': {
    plant: () => {
      const seen = new Set<string>()
      return { isDuplicate: (id) => seen.size === seen.add(id.slice(0, 15)).size }
    },
    fail: ['handles-ids-that-begin-alike'],
    options: {
      only: ['handles-ids-that-begin-alike', 'handles-what-it-accepts', 'handles-every-kind-of-call'],
    },
  },
  'keeps the first event of a call': {
    plant: keepOne(({ callId, groupId }) => String(callId ?? groupId)),
    fail: ['handles-what-it-accepts'],
    options: { only: ['handles-what-it-accepts'] },
  },
  'keeps a record of each call, which names the first event and gets the recap': {
    plant: ({ effects }) => {
      const records = new Map<unknown, number>()
      return {
        handle: ({ event, callId, groupId, summary }) => {
          const subject = callId ?? groupId
          const at = records.get(subject) ?? effects.length
          records.set(subject, at)
          const [first = event, recap] = JSON.parse(effects[at] ?? '[]')
          effects[at] = JSON.stringify([first, (summary as Fields | undefined)?.recap ?? recap, subject])
        },
      }
    },
    fail: [],
    options: { only: ['accepts-genuine', 'handles-what-it-accepts', 'survives-out-of-order'] },
  },
  'keeps one event of a name in each second': {
    plant: keepOne(({ event }) => `${event} ${Math.floor(Date.now() / 1_000)}`),
    fail: ['handles-what-it-accepts'],
    options: { only: ['handles-what-it-accepts'] },
  },
  'responds 500 after it has handled a summary': {
    plant: (tools) => failAfter(tools, isSummary),
    fail: ['accepts-genuine'],
    options: { only: ['accepts-genuine'] },
  },
  'stores durations as small integers': {
    plant: refuseIf(({ durationInSeconds }) => Number(durationInSeconds) > 32_767),
    fail: ['handles-unusual-summaries'],
  },
  'compares the content type with a text': {
    plant: ({ right }) => ({
      first: ({ method, headers }, response) => {
        if (method !== 'POST' || /^application\/json(?:; charset=utf-8)?$/.test(`${headers['content-type']}`))
          return false
        right.respond(response, 415, 'only application/json')
        return true
      },
    }),
    fail: ['accepts-json-with-charset'],
    options: { only: ['accepts-json-with-charset'] },
  },
  'tolerates seconds where it should tolerate minutes': {
    plant: () => ({
      verify: createVerify({
        isTimely: (timestamp) =>
          /^\d+$/.test(timestamp) && Math.abs(Date.now() / 1_000 - Number(timestamp)) < 10,
      }),
    }),
    fail: ['tolerates-clock-difference'],
  },
  'tolerates a difference of 20 s': {
    plant: () => ({
      verify: createVerify({
        isTimely: (timestamp) =>
          /^\d+$/.test(timestamp) && Math.abs(Date.now() / 1_000 - Number(timestamp)) < 20,
      }),
    }),
    fail: [],
    advice: ['tolerates-clock-difference'],
  },
  'does not verify one event': {
    plant: ({ right }) => ({
      verify: (incoming) =>
        incoming.body.includes('"GROUP_PARTICIPANT_JOINED"') ? undefined : right.verify(incoming),
    }),
    fail: ['refuses-wrong-secret'],
  },
  'stores group names in a column of 100 characters': {
    plant: refuseIf(({ groupName }) => [...String(groupName)].length > 100),
    fail: ['accepts-every-event'],
  },
  'keeps the first participant of a group': {
    plant: ({ effects }) => ({
      handle: (event) => {
        const line = name(event)
        if (!effects.some((each) => each.startsWith(line)))
          effects.push(`${line} ${event.customerPhone ?? ''}`)
      },
    }),
    fail: ['handles-each-participant'],
  },
  'keeps the first group of a participant': {
    plant: ({ effects }) => ({
      handle: (event) => {
        const line = `${name(event)} ${event.customerPhone ?? ''}`
        const isKnown = effects.some((each) => each.endsWith(String(event.customerPhone ?? line)))
        if (!isKnown) effects.push(line)
      },
    }),
    fail: ['handles-each-participant'],
    options: { only: ['handles-each-participant'] },
  },
  'deduplicates the events of a group by their name': {
    plant: ({ effects }) => {
      const seen = new Set<string>()
      return {
        handle: (event) => {
          const isKnown = event.groupId !== undefined && seen.size === seen.add(name(event)).size
          if (!isKnown) effects.push(name(event))
        },
      }
    },
    fail: ['handles-each-participant'],
    options: { only: ['handles-each-participant'] },
  },
  'fails at every summary': {
    plant: () => ({
      handle: (event) => {
        if (isSummary(event)) throw new Error('no such column: wabaNumber')
      },
    }),
    fail: ['accepts-genuine'],
    options: { only: ['accepts-genuine'] },
  },
  'records an id before it parses the body': {
    plant: ({ right }) => {
      const seen = new Set<string>()
      return {
        isDuplicate: () => false,
        receive: (parts, request, response) => {
          const isKnown = seen.size === seen.add(header(request, 'webhook-id')).size
          const parse: Parts['parse'] = (body) => (isKnown ? { event: 'IGNORED' } : parts.parse(body))
          return right.receive({ ...parts, parse }, request, response)
        },
      }
    },
    fail: ['refuses-again-what-it-refused'],
    options: { only: ['refuses-again-what-it-refused'] },
  },
  'cuts callIds to 64 characters': {
    plant: ({ right }) => ({
      handle: ({ callId, ...event }, id) =>
        right.handle({ ...event, ...(callId !== undefined && { callId: String(callId).slice(0, 64) }) }, id),
    }),
    fail: ['handles-unusual-ids'],
  },
  'removes punctuation from ids': {
    plant: ({ right }) => ({
      handle: ({ callId, ...event }, id) =>
        right.handle(
          { ...event, ...(callId !== undefined && { callId: String(callId).replace(/[^\w-]/g, '') }) },
          id,
        ),
    }),
    fail: ['handles-unusual-ids'],
    options: { only: ['handles-unusual-ids'] },
  },
  'takes only letters and digits in groupIds': {
    plant: refuseIf(({ groupId }) => groupId !== undefined && !/^[\w-]*$/.test(String(groupId ?? ''))),
    fail: ['handles-unusual-group-ids'],
  },
  'loses groups whose ids have more than 36 characters': {
    plant: loseIf(({ groupId }) => String(groupId).length > 36),
    fail: ['handles-unusual-group-ids'],
    options: { only: ['handles-unusual-group-ids'] },
  },
  'keeps the first group of a name': {
    plant: keepOne((event) =>
      event.event === 'GROUP_CREATED' ? String(event.groupName) : `${name(event)} ${event.customerPhone}`,
    ),
    fail: ['handles-unusual-group-ids'],
    options: { only: ['handles-unusual-group-ids'] },
  },
  'requires the channel of a call': {
    plant: refuseIf(({ event, channel }) => event === 'CALL_ENDED' && channel === undefined),
    fail: ['accepts-every-event'],
  },
  'loses the end of a call without a channel': {
    plant: loseIf(({ event, channel }) => event === 'CALL_ENDED' && channel === undefined),
    fail: ['accepts-every-event'],
    options: { only: ['accepts-every-event'] },
  },
  'writes texts in Latin-1': {
    plant: ({ effects }) => ({
      handle: (event) => {
        const { recap = '' } = (event.summary ?? {}) as Fields
        const line = `${name(event)} ${Buffer.from(String(recap)).toString('latin1').slice(0, 80)}`
        if (!effects.includes(line)) effects.push(line)
      },
    }),
    fail: ['keeps-every-letter'],
    options: { only: ['keeps-every-letter'] },
  },
  'decodes the two escapes of an emoji as two characters': {
    plant: ({ effects }) => ({
      // A decoder that is written by hand encodes each half of a surrogate pair as UTF-8, which is not valid.
      parse: (body) =>
        JSON.parse(body.toString().replace(/\\u[dD][89a-fA-F][\da-fA-F]{2}/g, '\ufffd')) as unknown,
      handle: (event) => {
        const { recap = '' } = (event.summary ?? {}) as Fields
        const line = `${name(event)} ${String(recap).slice(0, 80)}`
        if (!effects.includes(line)) effects.push(line)
      },
    }),
    fail: ['keeps-every-letter'],
    options: { only: ['keeps-every-letter'] },
  },
  'keeps the lock of a call after an invalid event': {
    plant: () => {
      const locks = new Set<unknown>()
      return {
        validate: ({ callId, summary, ...event }) => {
          if (locks.has(callId)) return 'locked'
          const isValid = !isSummary(event) || typeof (summary as Fields | null)?.recap === 'string'
          if (!isValid) locks.add(callId)
          return isValid ? undefined : 'invalid'
        },
      }
    },
    fail: ['survives-wrong-types'],
  },
  'writes the text of the latest request': {
    plant: ({ effects }) => {
      let latest: Fields = {}
      return {
        handle: async (event) => {
          latest = event
          await sleep(20)
          const { recap = '' } = (latest.summary ?? {}) as Fields
          const line = `${name(event)} ${recap}`
          if (!effects.includes(line)) effects.push(line)
        },
      }
    },
    fail: ['survives-concurrent-deliveries'],
    options: { only: ['survives-concurrent-deliveries'] },
  },
  'deduplicates by id and time of the attempt': {
    plant: ({ right, effects }) => {
      const seen = new Set<string>()
      return {
        isDuplicate: () => false,
        receive: (parts, request, response) => {
          const key = `${header(request, 'webhook-id')} ${header(request, 'webhook-timestamp')}`
          const handle: Parts['handle'] = (event) => {
            if (seen.size !== seen.add(key).size) effects.push(name(event))
          }
          return right.receive({ ...parts, handle }, request, response)
        },
      }
    },
    fail: ['handles-duplicate-once'],
    options: { only: ['handles-duplicate-once'] },
  },
}

describeFlaws('an endpoint that expects ids, times or requests of one form is caught for it', flaws)
