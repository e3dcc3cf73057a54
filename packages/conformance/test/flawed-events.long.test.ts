import { isUtf8 } from 'node:buffer'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeFlaws, type Flaw } from './flaws.ts'

const stages: Readonly<Record<string, number>> = {
  CALL_INCOMING_INITIATED: 1,
  CALL_ACCEPTED: 2,
  CALL_ENDED: 3,
  CALL_AI_SUMMARY: 4,
}

const callFields =
  /^(?:event|call\w+|channel\w*|from|to|\w+Number|triggeredVia|durationInSeconds|summary|customerName|isNewCaller)$/
const groupFields = /^(?:event|group\w+|inviteLink|customerPhone|participant\w+)$/

/** Shows the recap and the numbers of each summary. */
const showSummary = ({ callId, summary, ...event }: Record<string, unknown>, party: unknown): string =>
  `${event.event} ${callId} ${party} ${event.agentNumber ?? ''} ${JSON.stringify(summary)}`

/** Shows every event as JSON that is changed. What happens once in a call or a group is shown once. */
const showChanged =
  (change: (text: string) => string): Flaw['plant'] =>
  ({ effects }) => ({
    handle: (event) => {
      const line = change(JSON.stringify(event))
      const happensOnce = event.event === 'CALL_AI_SUMMARY' || event.event === 'GROUP_CREATED'
      if (!happensOnce || !effects.includes(line)) effects.push(line)
    },
  })

/** Shows what kind of call each summary is of. */
const showKind =
  (...read: readonly ((event: Record<string, unknown>) => unknown)[]): Flaw['plant'] =>
  ({ effects }) => ({
    handle: (event) => {
      if (event.event !== 'CALL_AI_SUMMARY') return
      const line = [event.callId, ...read.map((each) => each(event))].join(' ')
      if (!effects.includes(line)) effects.push(line)
    },
  })

/** Shows the state of each participant of a group. `replaces` decides whether an event changes it. */
const keepRoster =
  (replaces: (time: string, since: string, state: string) => boolean): Flaw['plant'] =>
  ({ effects }) => ({
    handle: ({ event, groupId, customerPhone, ...others }) => {
      const time = others.participantJoinedAt ?? others.participantLeftAt ?? others.participantRemovedAt
      if (time === undefined) return
      const key = `${groupId} ${customerPhone}`
      const at = effects.findIndex((line) => line.startsWith(`${key} `))
      const line = `${key} ${event} ${time}`
      if (at === -1) effects.push(line)
      else {
        const [state = '', since = ''] = effects[at]?.split(' ').slice(-2) ?? []
        if (replaces(String(time), since, state)) effects[at] = line
      }
    },
  })

/** Shows one line for each call: whether it has a summary, and its state, which `decide` derives from the one before and an event. */
const showState =
  (decide: (state: string, name: string) => string): Flaw['plant'] =>
  ({ effects, right }) => {
    const states = new Map<string, string>()
    const summaries = new Set<string>()
    return {
      handle: (event, id) => {
        if (typeof event.callId !== 'string') return right.handle(event, id)
        const state = decide(states.get(event.callId) ?? 'new', String(event.event))
        states.set(event.callId, state)
        if (event.event === 'CALL_AI_SUMMARY') summaries.add(event.callId)
        const others = effects.filter((line) => !line.includes(String(event.callId)))
        effects.splice(
          0,
          effects.length,
          ...others,
          `${event.callId} is ${state} ${summaries.has(event.callId)}`,
        )
      },
    }
  }

/** Shows the two lists of each summary in this form. */
const showLists =
  (write: (summary: Readonly<Record<'keyPoints' | 'nextSteps', unknown>>) => object): Flaw['plant'] =>
  ({ effects }) => ({
    handle: ({ callId, summary }) => {
      if (summary !== undefined) effects.push(`${callId} ${JSON.stringify(write(Object(summary)))}`)
    },
  })

/** Shows the recap of each summary, cut to 300 bytes and decoded in this way. */
const showCut =
  (decode: (bytes: Buffer) => string): Flaw['plant'] =>
  ({ effects }) => ({
    handle: ({ callId, summary }) => {
      if (typeof callId !== 'string' || summary === undefined) return
      const line = `${callId} ${decode(Buffer.from(String(Object(summary).recap)).subarray(0, 300))}`
      if (!effects.includes(line)) effects.push(line)
    },
  })

/** Shows one line for each call: this text of the event that arrived last. */
const showLatest =
  (write: (event: Readonly<Record<string, unknown>>) => string): Flaw['plant'] =>
  ({ effects, right }) => ({
    handle: (event, id) => {
      if (typeof event.callId !== 'string') return right.handle(event, id)
      const line = `${event.callId} `
      const others = effects.filter((each) => !each.startsWith(line))
      effects.splice(0, effects.length, ...others, line + write(event))
    },
  })

const toState = (name: string): string => (/_(?:ENDED|SUMMARY)$/.test(name) ? 'ended' : 'ringing')

const flaws: Record<string, Flaw> = {
  'lets a late event set the state of a call back': {
    plant: showState((_, name) => toState(name)),
    fail: [],
    advice: ['keeps-summary-after-late-event'],
    options: { only: ['keeps-summary-after-late-event'] },
  },
  'lets a late CALL_ACCEPTED set the state of a call back, of which its summary says nothing': {
    plant: showState((state, name) => (name === 'CALL_AI_SUMMARY' ? state : toState(name))),
    fail: [],
    advice: ['keeps-summary-after-late-event'],
    options: { only: ['keeps-summary-after-late-event'] },
  },
  'learns the state of a call only from late events, which is not a mistake': {
    plant: showState((state, name) =>
      name === 'CALL_AI_SUMMARY' || state === 'ended' ? state : toState(name),
    ),
    fail: [],
    options: { only: ['keeps-summary-after-late-event'] },
  },
  'lets no late event set the state of a call back, which is not a mistake': {
    plant: showState((state, name) => (state === 'ended' ? state : toState(name))),
    fail: [],
    options: { only: ['keeps-summary-after-late-event'] },
  },
  'shows the event of a call that arrived last, which is not a mistake': {
    plant: showState((_, name) => name),
    fail: [],
    options: { only: ['keeps-summary-after-late-event'] },
  },
  'replaces the row of a call, and with it the recap': {
    plant: showLatest(({ summary }) => JSON.stringify(summary ?? null)),
    fail: ['keeps-summary-after-late-event'],
    options: { only: ['keeps-summary-after-late-event'] },
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
    // What is sent at once may be late, too: survives-out-of-order then follows.
    options: { only: ['keeps-summary-after-late-event'] },
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
  'refuses events without a name, which no sender that signs is known to send': {
    plant: () => ({ validate: ({ event }) => (event === undefined ? 'no name' : undefined) }),
    fail: [],
    advice: ['accepts-unknown-event'],
  },
  'refuses events without a name, and limits how many unknown ones it takes': {
    plant: ({ right }) => ({
      validate: ({ event }) =>
        event === undefined ? 'no name' : event === 'GROUP_RENAMED' ? 'too many' : undefined,
      respond: (response, status, text) => right.respond(response, text === 'too many' ? 429 : status, text),
    }),
    fail: [],
    advice: ['accepts-unknown-event'],
  },
  'refuses events without a name, which a service that does not sign sends': {
    plant: () => ({
      verify: () => undefined,
      validate: ({ event }) => (event === undefined ? 'no name' : undefined),
    }),
    fail: ['accepts-unknown-event'],
    options: { only: ['accepts-unknown-event'], secret: undefined, previousSecret: undefined },
    query: '?token=7D1f2c9ab04e5f60',
  },
  'refuses unknown fields': {
    plant: () => ({
      validate: (event) =>
        Object.keys(event).every((key) => callFields.test(key) || groupFields.test(key))
          ? undefined
          : 'strict',
    }),
    fail: ['accepts-every-event', 'accepts-extra-fields'],
    advice: ['accepts-unknown-event'],
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
  'keeps a record of each call from its start, and ignores summaries of calls without one': {
    plant: ({ effects }) => ({
      handle: ({ event, callId, summary }) => {
        const at = effects.findIndex((line) => line.includes(`"${callId}"`))
        if (stages[String(event)] === 1 && at === -1) effects.push(JSON.stringify({ callId }))
        if (event === 'CALL_AI_SUMMARY' && at !== -1) effects[at] = JSON.stringify({ callId, summary })
      },
    }),
    fail: ['survives-missing-predecessor'],
    isExaminedByAll: true,
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
  'takes a channel and a type of call that it does not know for others': {
    plant: showKind(
      ({ channel }) => (channel === 'WHATSAPP' ? channel : 'PSTN'),
      ({ callType }) => (callType === 'AI_BOT' ? 'ai_bot' : 'agent'),
    ),
    fail: ['handles-new-values'],
    options: { only: ['handles-new-values', 'handles-every-kind-of-call'] },
  },
  'shows a value that it does not know as unknown, and who handled the call by its number': {
    plant: showKind(
      ({ channel }) => (channel === 'WHATSAPP' || channel === 'PSTN' ? channel : 'unknown'),
      ({ agentNumber }) => (agentNumber ? 'AGENT' : 'AI_BOT'),
    ),
    fail: [],
    options: { only: ['handles-new-values'] },
  },
  'shows the trigger of a call, and its direction by that': {
    plant: showKind(
      ({ triggeredVia }) => triggeredVia,
      ({ triggeredVia }) => (triggeredVia === 'INBOUND' ? 'INCOMING' : 'OUTGOING'),
    ),
    fail: [],
    options: { only: ['handles-new-values'] },
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
    fail: ['accepts-every-event', 'handles-unusual-summaries', 'handles-unusual-group-ids'],
  },
  'loses emoji after a 200': {
    plant: ({ right }) => ({
      handle: (event, id) => {
        if (!/\p{Emoji_Presentation}/u.test(JSON.stringify(event.summary ?? ''))) right.handle(event, id)
      },
    }),
    fail: ['handles-unusual-summaries'],
  },
  'cuts recaps by bytes, and has an empty text if the last character is not whole': {
    plant: showCut((bytes) => (isUtf8(bytes) ? bytes.toString() : '')),
    fail: ['handles-unusual-summaries'],
    options: { only: ['handles-unusual-summaries'] },
  },
  'cuts recaps by bytes, and leaves out what is not whole, which is not a mistake': {
    plant: showCut((bytes) => bytes.toString().replaceAll('\ufffd', '')),
    fail: [],
    options: { only: ['handles-unusual-summaries'] },
  },
  'shows the end of a long recap, which is not a mistake': {
    plant: showCut((bytes) => `…${bytes.toString().slice(-20)}`),
    fail: [],
    options: { only: ['handles-unusual-summaries'] },
  },
  'fails at half an emoji': {
    plant: ({ right }) => ({
      handle: (event, id) => {
        encodeURIComponent(String(Object(event.summary).recap).slice(0, 160))
        return right.handle(event, id)
      },
    }),
    fail: ['handles-unusual-summaries'],
    options: { only: ['handles-unusual-summaries'] },
  },
  'takes a duration of 0 for a missing one': {
    plant: () => ({
      validate: ({ event, durationInSeconds }) =>
        event === 'CALL_AI_SUMMARY' && !durationInSeconds ? 'no duration' : undefined,
    }),
    fail: ['handles-unusual-summaries'],
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
  'lets a late CALL_INCOMING_INITIATED replace the record of a call': {
    plant: ({ effects, right }) => ({
      handle: (event, id) => {
        const summary = effects.indexOf(`CALL_AI_SUMMARY ${event.callId}`)
        if (event.event === 'CALL_INCOMING_INITIATED' && summary !== -1) effects.splice(summary, 1)
        right.handle(event, id)
      },
    }),
    fail: ['keeps-summary-after-late-event'],
    options: { only: ['keeps-summary-after-late-event'] },
  },
  'lets a late GROUP_CREATED remove the participants': {
    plant: ({ effects, right }) => ({
      handle: (event, id) => {
        const member = effects.indexOf(`GROUP_PARTICIPANT_JOINED ${event.groupId}`)
        if (event.event === 'GROUP_CREATED' && member !== -1) effects.splice(member, 1)
        if (event.event !== 'GROUP_CREATED' || member === -1) right.handle(event, id)
      },
    }),
    fail: ['keeps-summary-after-late-event'],
    options: { only: ['keeps-summary-after-late-event'] },
  },
  'lets a late GROUP_PARTICIPANT_JOINED bring a participant back': {
    plant: keepRoster(() => true),
    fail: ['keeps-summary-after-late-event'],
    options: { only: ['keeps-summary-after-late-event', 'handles-each-participant'] },
  },
  'compares the times of participants who leave, but not of those who are removed': {
    plant: keepRoster((time, since, state) => time > since || state === 'GROUP_PARTICIPANT_REMOVED'),
    fail: ['keeps-summary-after-late-event'],
    options: { only: ['keeps-summary-after-late-event', 'handles-each-participant'] },
  },
  'removes participants who leave, and adds them again when a late GROUP_PARTICIPANT_JOINED arrives': {
    plant: ({ effects }) => ({
      handle: ({ event, groupId, customerPhone }) => {
        const line = `${groupId} ${customerPhone}`
        const at = effects.indexOf(line)
        if (event === 'GROUP_PARTICIPANT_JOINED' && at === -1) effects.push(line)
        if (event === 'GROUP_PARTICIPANT_LEFT' && at !== -1) effects.splice(at, 1)
      },
    }),
    fail: ['keeps-summary-after-late-event'],
    options: { only: ['keeps-summary-after-late-event'] },
  },
  'keeps the latest state of each participant, by its time': {
    plant: keepRoster((time, since) => time > since),
    fail: [],
    options: { only: ['keeps-summary-after-late-event', 'handles-each-participant'] },
  },
  'adds the record of a call that another request adds': {
    plant: ({ right }) => {
      const known = new Set<unknown>()
      return {
        handle: async (event, id) => {
          const subject = event.callId ?? event.groupId
          const isKnown = known.has(subject)
          await sleep(20)
          if (!isKnown && known.has(subject)) throw new Error('UNIQUE constraint failed')
          known.add(subject)
          await right.handle(event, id)
        },
      }
    },
    fail: ['survives-out-of-order'],
    options: { only: ['survives-out-of-order'] },
  },
  'takes CALL_NOT_PICKED for the end of a call': {
    plant: ({ right }) => {
      const ended = new Set<unknown>()
      return {
        handle: (event, id) => {
          if (event.event === 'CALL_NOT_PICKED') ended.add(event.callId)
          if (event.event === 'CALL_NOT_PICKED' || !ended.has(event.callId)) right.handle(event, id)
        },
      }
    },
    fail: ['survives-repeated-not-picked'],
  },
  'refuses a second end of a call': {
    plant: () => {
      const ended = new Set<unknown>()
      return {
        validate: ({ event, callId }) =>
          /_(?:MISSED|REJECTED|ENDED)$/.test(String(event)) && ended.size === ended.add(callId).size
            ? 'over'
            : undefined,
      }
    },
    fail: ['survives-several-ends'],
    options: { only: ['survives-several-ends'] },
  },
  'asks to try again what it can never store': {
    plant: ({ right }) => ({
      validate: ({ groupName }) => (/'/.test(String(groupName)) ? 'syntax error' : undefined),
      respond: (response, status, text) => right.respond(response, status === 422 ? 503 : status, text),
    }),
    fail: ['accepts-every-event'],
    options: { only: ['accepts-every-event'] },
  },
  'requires the name of a group in events of participants': {
    plant: () => ({
      validate: ({ event, groupName }) =>
        event === 'GROUP_PARTICIPANT_REMOVED' && typeof groupName !== 'string' ? 'name' : undefined,
    }),
    fail: ['accepts-every-event'],
    options: { only: ['accepts-every-event'] },
  },
  'loses CALL_ACCEPTED of WhatsApp calls': {
    plant: ({ right }) => ({
      handle: (event, id) => {
        if (event.event !== 'CALL_ACCEPTED' || !('wabaNumber' in event)) right.handle(event, id)
      },
    }),
    fail: ['accepts-every-event'],
    options: { only: ['accepts-every-event'] },
  },
  'takes only numbers of one country': {
    plant: () => ({
      validate: ({ to = '+1' }) => (/^\+?1/.test(String(to)) ? undefined : 'number'),
    }),
    fail: ['handles-unusual-summaries'],
    options: { only: ['handles-unusual-summaries'] },
  },
  'takes an empty recap for a missing one': {
    plant: () => ({
      validate: ({ event, summary }) =>
        event === 'CALL_AI_SUMMARY' && !(summary as { recap?: string }).recap ? 'recap' : undefined,
    }),
    fail: ['handles-unusual-summaries'],
    options: { only: ['handles-unusual-summaries'] },
  },
  'takes from for the customer of incoming calls': {
    plant: ({ effects }) => ({
      handle: (event) => {
        const party = event.callDirection === 'INCOMING' ? event.from : event.to
        if (event.event === 'CALL_AI_SUMMARY') effects.push(showSummary(event, party))
      },
    }),
    fail: ['keeps-calls-apart'],
    options: { only: ['keeps-calls-apart'] },
  },
  'takes from for the customer of outgoing calls, next to its own number': {
    plant: ({ effects }) => ({
      handle: (event) => {
        const party = event.callDirection === 'OUTGOING' ? event.from : event.to
        if (event.event === 'CALL_AI_SUMMARY')
          effects.push(`${showSummary(event, party)} at ${event.channelNumber}`)
      },
    }),
    fail: ['keeps-calls-apart'],
    options: { only: ['keeps-calls-apart'] },
  },
  ...Object.fromEntries(
    Object.entries({
      'an integer of 32 bits': (digits: string) => Number(digits) | 0,
      'a column whose greatest value is 2147483647': (digits: string) =>
        Math.min(Number(digits), 2 ** 31 - 1),
      'a number of seven digits': (digits: string) => Number(digits).toExponential(6),
    }).map(([type, write]): [string, Flaw] => [
      `stores the customer's number as ${type}`,
      {
        plant: ({ effects }) => ({
          handle: ({ event, callId, customerNumber, channelNumber }) => {
            if (event === 'CALL_AI_SUMMARY')
              effects.push(`${callId} ${channelNumber} ${write(String(customerNumber).replace('+', ''))}`)
          },
        }),
        fail: ['keeps-values'],
        options: { only: ['keeps-values'] },
      },
    ]),
  ),
  'stores the groups of participants in a column that makes numbers of digits': {
    plant: ({ effects }) => ({
      handle: ({ event, callId, groupId, customerPhone }) => {
        if (event === 'GROUP_PARTICIPANT_JOINED')
          effects.push(`${/^\d+$/.test(String(groupId)) ? Number(groupId) : groupId} ${customerPhone}`)
        else effects.push(`${event} ${callId ?? groupId}`)
      },
    }),
    fail: ['handles-unusual-group-ids'],
    options: { only: ['handles-unusual-group-ids', 'handles-each-participant'] },
  },
  'keeps the party of a call where requests share it, while it looks up something else': {
    plant: ({ effects }) => {
      let party: unknown
      return {
        handle: async (event) => {
          if (event.event !== 'CALL_AI_SUMMARY') return
          party = event.customerNumber
          await sleep(100)
          effects.push(showSummary(event, party))
        },
      }
    },
    fail: ['keeps-calls-apart'],
    options: { only: ['keeps-calls-apart'] },
  },
  'takes the next steps from the key points': {
    plant: ({ effects }) => ({
      handle: ({ summary, ...event }) => {
        const { recap, keyPoints } = Object(summary)
        const line = showSummary({ ...event, summary: { recap, keyPoints, nextSteps: keyPoints } }, event.to)
        if (!effects.includes(line)) effects.push(line)
      },
    }),
    fail: [],
    advice: ['keeps-calls-apart'],
  },
  'stores the key points as next steps, and the next steps as key points': {
    plant: showLists(({ keyPoints, nextSteps }) => ({ keyPoints: nextSteps, nextSteps: keyPoints })),
    fail: ['keeps-calls-apart'],
    options: { only: ['keeps-calls-apart'] },
  },
  'shows key points and next steps, the latter first, which is not a mistake': {
    plant: showLists(({ keyPoints, nextSteps }) => ({ next_steps: nextSteps, key_points: keyPoints })),
    fail: [],
    options: { only: ['keeps-calls-apart'] },
  },
  'names each item after it, which is not a mistake': {
    plant: showLists(({ keyPoints, nextSteps }) => [keyPoints, 'key points', nextSteps, 'next steps']),
    fail: [],
    options: { only: ['keeps-calls-apart'] },
  },
  'names both lists before their items, which is not a mistake': {
    plant: showLists(({ keyPoints, nextSteps }) => ['next steps', 'key points', keyPoints, nextSteps]),
    fail: [],
    options: { only: ['keeps-calls-apart'] },
  },
  'shows the key points alone': {
    plant: ({ effects }) => ({
      handle: ({ summary, ...event }) => {
        const line = showSummary({ ...event, summary: Object(summary).keyPoints }, event.to)
        if (!effects.includes(line)) effects.push(line)
      },
    }),
    fail: [],
    options: { only: ['keeps-calls-apart', 'handles-duplicate-once'] },
  },
  'keeps the agent of the call before': {
    plant: ({ effects }) => {
      let shared: Record<string, unknown> = {}
      return {
        handle: (event) => {
          shared = { ...shared, ...event }
          if (event.event === 'CALL_AI_SUMMARY') effects.push(showSummary(shared, event.to))
        },
      }
    },
    fail: ['keeps-calls-apart'],
    options: { only: ['keeps-calls-apart'] },
  },
  'drops events of participants whose number begins with a plus sign': {
    plant: ({ right }) => ({
      handle: (event, id) => {
        if (!String(event.customerPhone).startsWith('+')) right.handle(event, id)
      },
    }),
    fail: ['keeps-values'],
  },
  'handles no summary whose numbers begin with a plus sign': {
    plant: ({ right }) => ({
      handle: (event, id) => {
        if (event.event === 'CALL_AI_SUMMARY' && /^\d+$/.test(String(event.to))) right.handle(event, id)
      },
    }),
    fail: ['accepts-genuine'],
    options: { only: ['accepts-genuine'] },
  },
  'takes the plus sign of a number for a space, as in a form': {
    plant: showChanged((text) => text.replaceAll('"+', '" ')),
    fail: ['keeps-values'],
  },
  'decodes texts as in a form': {
    plant: showChanged((text) => text.replaceAll(' + ', '   ')),
    fail: ['keeps-values'],
  },
  'fills a template with texts in which a $ refers to what was found': {
    plant: showChanged((text) => 'Event: {event}'.replace('{event}', text)),
    fail: ['keeps-values'],
  },
  'reads a duration with a thousands separator': {
    plant: showChanged((text) => text.replace(/(?<="durationInSeconds":\d+)\d{3}(?=[,}])/, '')),
    fail: ['handles-unusual-summaries'],
    options: { only: ['handles-unusual-summaries'] },
  },
  'writes the duration of a long call in hours, which is not a mistake': {
    plant: showChanged((text) =>
      text.replace(/"durationInSeconds":(\d+)/, (_, seconds) =>
        seconds > 3_600 ? `took ${Math.floor(seconds / 3_600)} h` : `took ${seconds} s`,
      ),
    ),
    fail: [],
    options: { only: ['handles-unusual-summaries'] },
  },
  'ignores the offset of a time': {
    plant: showChanged((text) => text.replaceAll('+05:30"', 'Z"')),
    fail: ['handles-unusual-summaries'],
    options: { only: ['handles-unusual-summaries'] },
  },
  'writes times in UTC, which is not a mistake': {
    plant: showChanged((text) =>
      text.replace(/(?<=":")\d{4}-[^"]+\+05:30(?=")/g, (time) => new Date(time).toISOString()),
    ),
    fail: [],
    options: { only: ['handles-unusual-summaries'] },
  },
  'stores the digits of numbers alone, which is not a mistake': {
    plant: showChanged((text) => text.replaceAll('"+', '"')),
    fail: [],
    options: { only: ['keeps-values', 'keeps-calls-apart', 'handles-each-participant'] },
  },
  'stores the digits of numbers alone, which its effects prove': {
    plant: showChanged((text) => text.replaceAll('"+', '"')),
    fail: [],
    advice: ['keeps-values'],
    options: { only: ['keeps-values'], effectsAreComplete: true },
  },
  'writes numbers in the form of their country, which is not a mistake': {
    plant: showChanged((text) => text.replace(/"\+1(\d{3})(\d{3})(\d{4})"/g, '"($1) $2-$3"')),
    fail: [],
    options: { only: ['keeps-values', 'keeps-calls-apart'] },
  },
  'removes markup from recaps': {
    plant: ({ effects }) => ({
      handle: (event) => {
        const text = JSON.stringify(event.summary ?? '').replace(/<[^>]*>/g, '')
        if (event.event === 'CALL_AI_SUMMARY') effects.push(`${event.callId} ${text}`)
      },
    }),
    fail: ['keeps-every-letter'],
    options: { only: ['keeps-every-letter'] },
  },
  'shows each call as it is, which is not a mistake': {
    plant: ({ effects, right }) => ({
      handle: (event, id) => {
        if (event.event === 'CALL_AI_SUMMARY') effects.push(showSummary(event, event.to))
        else right.handle(event, id)
      },
    }),
    fail: [],
    advice: ['handles-same-event-under-new-id-once'],
  },
}

describeFlaws('an endpoint that misreads an event is caught for it, and for nothing else', flaws)
