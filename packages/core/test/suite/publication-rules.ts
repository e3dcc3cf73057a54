import type { CallDirection } from '@wabakit/contract'
import { publishedEventSchemas, toIssues } from '@wabakit/contract'
import { equal, ok, rejects } from '../store-cases/assert.ts'
import { defineCases } from './cases.ts'
import {
  agent,
  createScenario,
  customer,
  getSummary,
  playCall,
  pstn,
  type Scenario,
  secondWaba,
  start,
  summary,
  waba,
} from './scenario.ts'

const automatic = { generatedBy: 'automatic' } as const
const byTeamMember = { generatedBy: 'team_member' } as const

const summaries = (scenario: Scenario): number =>
  scenario.names().filter((name) => name === 'CALL_AI_SUMMARY').length

const begin = async (scenario: Scenario, changes: object = {}): Promise<string> => {
  const input = {
    channel: 'PSTN',
    direction: 'INCOMING',
    channelNumber: pstn,
    customerNumber: customer,
  } as const
  return (await scenario.server.calls.start('acme', { ...input, ...changes })).callId
}

const sentTo = (scenario: Scenario, event: string): string[] =>
  scenario.sent.filter((sent) => sent.event === event).map(({ url }) => new URL(url).pathname)

const groupEvents = defineCases('Group events', {
  'a participant cannot change once the number of the group has been removed from the organization':
    async () => {
      const scenario = await createScenario()
      await scenario.subscribe('WHATSAPP')
      const { organizations, groups, participants } = scenario.server
      await groups.create('acme', { wabaNumber: waba, subject: 'Launch', groupId: 'g1' })
      await participants.join('acme', { groupId: 'g1', phone: customer })
      await organizations.update('acme', { integrations: [{ wabaNumber: secondWaba }] })
      for (const action of ['leave', 'remove'] as const) {
        const changed = participants[action]('acme', { groupId: 'g1', phone: customer })
        const error = await rejects(changed, { code: 'invalid_input' })
        ok(error instanceof Error && error.message.startsWith('groupId: '), String(error))
      }
      await scenario.advance(0)
      equal(scenario.names(), ['GROUP_CREATED', 'GROUP_PARTICIPANT_JOINED'])
      equal(
        scenario.sent.map(({ event }) => event),
        ['GROUP_CREATED', 'GROUP_PARTICIPANT_JOINED'],
      )
      await organizations.update('acme', { integrations: [{ wabaNumber: waba, enabled: false }] })
      await participants.leave('acme', { groupId: 'g1', phone: customer })
    },

  'GROUP_PARTICIPANT_JOINED, LEFT and REMOVED refer to the group by groupId': async () => {
    const scenario = await createScenario()
    await scenario.server.groups.create('acme', { wabaNumber: waba, subject: 'Launch', groupId: 'g1' })
    const { participants } = scenario.server
    const who = { groupId: 'g1', phone: customer }
    await participants.join('acme', who)
    scenario.clock.time += 1_000
    await participants.leave('acme', who)
    await participants.join('acme', who)
    await participants.remove('acme', who)
    const about = { groupId: 'g1', groupName: 'Launch', customerPhone: customer }
    const [first, second] = [start, start + 1_000].map((time) => new Date(time).toISOString())
    equal(
      scenario.publications.slice(1).map(({ event }) => event),
      [
        { event: 'GROUP_PARTICIPANT_JOINED', ...about, participantJoinedAt: first },
        { event: 'GROUP_PARTICIPANT_LEFT', ...about, participantLeftAt: second },
        { event: 'GROUP_PARTICIPANT_JOINED', ...about, participantJoinedAt: second },
        { event: 'GROUP_PARTICIPANT_REMOVED', ...about, participantRemovedAt: second },
      ],
    )
  },

  "group events go to the subscriptions of the group's WABA number on channel WHATSAPP": async () => {
    const scenario = await createScenario()
    const subscribe = (channel: 'PSTN' | 'WHATSAPP', number: string, path: string) =>
      scenario.server.subscriptions.create('acme', {
        channel,
        number,
        url: `https://receiver.example/${path}`,
      })
    await subscribe('WHATSAPP', waba, 'own')
    await subscribe('WHATSAPP', secondWaba, 'second')
    await subscribe('PSTN', pstn, 'pstn')
    await scenario.server.groups.create('acme', { wabaNumber: waba, subject: 'Launch', groupId: 'g1' })
    await scenario.server.participants.join('acme', { groupId: 'g1', phone: customer })
    await scenario.advance(0)
    equal(sentTo(scenario, 'GROUP_CREATED'), ['/own'])
    equal(sentTo(scenario, 'GROUP_PARTICIPANT_JOINED'), ['/own'])
  },
})

const callEvents = defineCases('Call events', {
  'have no negative duration, and no time in the future, wherever in a call the clock is set': async () => {
    for (const jump of [-3_600_000, 3_600_000]) {
      for (const position of [0, 1, 2]) {
        const scenario = await createScenario()
        const { calls, summaries } = scenario.server
        const callId = await begin(scenario)
        const steps = [
          () => calls.accept('acme', callId),
          () => calls.end('acme', callId),
          () => summaries.save('acme', callId, summary, automatic),
        ]
        for (const [index, step] of steps.entries()) {
          scenario.clock.time += 10_000 + (index === position ? jump : 0)
          await step()
          const { event } = scenario.publications.at(-1) ?? {}
          ok(event !== undefined && 'callId' in event, 'a call event')
          const result = publishedEventSchemas[event.event].safeParse(event)
          ok(result.success, `${event.event}: ${result.error && JSON.stringify(toIssues(result.error))}`)
          const { callStartedAt = '', callEndedAt = callStartedAt } = event
          ok(callStartedAt <= callEndedAt, `${event.event}: from ${callStartedAt} to ${callEndedAt}`)
          const now = new Date(scenario.clock.time).toISOString()
          // The call may have ended before the clock was set back.
          if (index < 2) ok(callEndedAt <= now, `${event.event}: ${callEndedAt} at ${now}`)
        }
      }
    }
  },

  'a call is refused with a reason if its trigger contradicts its direction, or the number is not its own':
    async () => {
      const scenario = await createScenario()
      const refuse = async (input: object, path: string, message: string): Promise<void> => {
        const call = {
          channel: 'PSTN',
          direction: 'INCOMING',
          channelNumber: pstn,
          customerNumber: customer,
        } as const
        await rejects(scenario.server.calls.start('acme', { ...call, ...input }), {
          code: 'invalid_input',
          issues: [{ path, message }],
        })
      }
      await refuse({ triggeredVia: 'UI' }, 'triggeredVia', 'must be INBOUND for an incoming call')
      const outgoing = { direction: 'OUTGOING', triggeredVia: 'INBOUND' }
      await refuse(outgoing, 'triggeredVia', 'must be UI, API or CAMPAIGN for an outgoing call')
      await refuse(
        { channel: 'PSTN', direction: 'UP' },
        'direction',
        'direction must be INCOMING or OUTGOING',
      )
      await refuse({ channelNumber: '+1' }, 'channelNumber', 'must be a PSTN number of the organization')
      equal(scenario.names(), [])
    },

  'lifecycle events contain the fields that are known at their time': async () => {
    const scenario = await createScenario()
    const callId = await begin(scenario, { agentNumber: agent })
    scenario.clock.time += 5_000
    await scenario.server.calls.accept('acme', callId)
    scenario.clock.time += 61_400
    await scenario.server.calls.end('acme', callId)
    const about = {
      callId,
      channel: 'PSTN',
      callDirection: 'INCOMING',
      from: pstn,
      to: customer,
      channelNumber: pstn,
      customerNumber: customer,
      agentNumber: agent,
      callType: 'AGENT',
      triggeredVia: 'INBOUND',
    }
    const callStartedAt = new Date(start + 5_000).toISOString()
    const callEndedAt = new Date(start + 66_400).toISOString()
    equal(
      scenario.publications.map(({ event }) => event),
      [
        { event: 'CALL_INCOMING_INITIATED', callStatus: 'INITIATED', ...about },
        { event: 'CALL_ACCEPTED', callStatus: 'IN_PROGRESS', ...about, callStartedAt },
        {
          event: 'CALL_ENDED',
          callStatus: 'END',
          ...about,
          durationInSeconds: 61,
          callStartedAt,
          callEndedAt,
        },
      ],
    )
  },

  'no event contains a future time: a conversation is no longer than the time since it was accepted':
    async () => {
      const scenario = await createScenario()
      const callId = await begin(scenario)
      await scenario.server.calls.accept('acme', callId)
      scenario.clock.time += 42_000
      const end = (durationInSeconds: number) =>
        scenario.server.calls.end('acme', callId, { durationInSeconds })
      await rejects(end(43), { code: 'invalid_input' })
      equal((await end(42)).endedAt, scenario.clock.time)
    },

  "from is the organization's number and to is the customer's, in both directions": async () => {
    for (const direction of ['INCOMING', 'OUTGOING'] satisfies CallDirection[]) {
      const scenario = await createScenario()
      const callId = await playCall(scenario, { direction })
      await scenario.server.summaries.save('acme', callId, summary, automatic)
      for (const { event } of scenario.publications) {
        ok('from' in event, event.event)
        equal(
          [event.from, event.channelNumber, event.to, event.customerNumber],
          [pstn, pstn, customer, customer],
        )
      }
    }
  },

  "channelNumber and from have the organization's spelling of its number, however the call spells it":
    async () => {
      const scenario = await createScenario()
      await scenario.subscribe('PSTN')
      for (const number of ['15550100002', '+1 (555) 010 0002']) {
        const callId = await playCall(scenario, { number })
        await scenario.server.summaries.save('acme', callId, summary, automatic)
      }
      equal(scenario.publications.length, 8)
      for (const { event } of scenario.publications) {
        ok('from' in event, event.event)
        equal([event.from, event.channelNumber], [pstn, pstn])
      }
      await scenario.advance(0)
      equal(scenario.sent.length, 8)
    },

  'agentNumber is absent for a call by an AI bot unless a team member started it': async () => {
    for (const triggeredVia of ['API', 'CAMPAIGN', 'INBOUND']) {
      const scenario = await createScenario()
      const direction = triggeredVia === 'INBOUND' ? 'INCOMING' : 'OUTGOING'
      const bot = { direction, callType: 'AI_BOT', triggeredVia, agentNumber: agent }
      const callId = await begin(scenario, bot)
      await scenario.server.calls.accept('acme', callId, { agentNumber: agent })
      await scenario.server.calls.end('acme', callId)
      await scenario.server.summaries.save('acme', callId, summary, automatic)
      equal(scenario.publications.length, 4)
      for (const { event } of scenario.publications) equal(Object.keys(event).includes('agentNumber'), false)
    }
  },

  'agentNumber is absent, never empty, when no team member handled or started the call': async () => {
    const scenario = await createScenario()
    const callId = await begin(scenario, { agentNumber: '' })
    await scenario.server.calls.accept('acme', callId, { agentNumber: '' })
    for (const { event } of scenario.publications) equal(Object.keys(event).includes('agentNumber'), false)
    const answered = await begin(scenario)
    await scenario.server.calls.accept('acme', answered, { agentNumber: agent })
    const last = scenario.publications.at(-1)?.event
    ok(
      last?.event === 'CALL_ACCEPTED' && last.agentNumber === agent,
      'the team member who answers handles the call',
    )
  },

  'a missed or rejected call ends after its INITIATED event': async () => {
    for (const [action, direction] of [
      ['miss', 'INCOMING'],
      ['reject', 'INCOMING'],
      ['miss', 'OUTGOING'],
    ] as const) {
      const scenario = await createScenario()
      const callId = await begin(scenario, { direction })
      await scenario.server.calls[action]('acme', callId)
      equal(scenario.names(), [`CALL_${direction}_INITIATED`])
    }
  },

  'every published event matches its schema': async () => {
    const scenario = await createScenario()
    await scenario.server.groups.create('acme', { wabaNumber: waba, subject: 'Launch', groupId: 'g1' })
    for (const action of ['join', 'leave', 'join', 'remove'] as const) {
      await scenario.server.participants[action]('acme', { groupId: 'g1', phone: customer })
    }
    for (const direction of ['INCOMING', 'OUTGOING'] as const) {
      const callId = await playCall(scenario, { channel: 'WHATSAPP', direction })
      await scenario.server.summaries.save('acme', callId, summary, byTeamMember)
    }
    equal(new Set(scenario.names()).size, 9)
    for (const { event } of scenario.publications) {
      const parsed = publishedEventSchemas[event.event].safeParse(event)
      ok(parsed.success, `${event.event}: ${parsed.success || JSON.stringify(toIssues(parsed.error))}`)
    }
  },
})

const emitted = defineCases('CALL_AI_SUMMARY is emitted when', {
  'the call has ended and its summary was generated and saved (1)': async () => {
    const scenario = await createScenario()
    const callId = await begin(scenario)
    const save = () => scenario.server.summaries.save('acme', callId, summary, automatic)
    await rejects(save(), { code: 'illegal_transition', state: 'initiated', action: 'summarize' })
    await scenario.server.calls.accept('acme', callId, { startedAt: start - 42_000 })
    await rejects(save(), { code: 'illegal_transition', state: 'accepted' })
    await scenario.server.calls.end('acme', callId, { durationInSeconds: 42 })
    equal(summaries(scenario), 0)
    equal((await save()).outcome, 'first')
    equal(summaries(scenario), 1)
    equal((await scenario.server.calls.find('acme', callId))?.summary?.summary, summary)
  },

  'it was generated automatically, if that is enabled for the organization (2)': async () => {
    const scenario = await createScenario()
    const callId = await playCall(scenario)
    await scenario.server.organizations.update('acme', { callSummaries: 'manual' })
    const save = () => scenario.server.summaries.save('acme', callId, summary, automatic)
    await rejects(save(), { code: 'summary_refused', reason: 'automatic_summaries_off' })
    equal([summaries(scenario), (await scenario.server.calls.find('acme', callId))?.summary], [0, undefined])
    await scenario.server.organizations.update('acme', { callSummaries: 'automatic' })
    equal((await save()).outcome, 'first')
    equal(summaries(scenario), 1)
  },

  'it was generated by a team member, whatever the setting (2)': async () => {
    for (const callSummaries of ['manual', 'automatic'] as const) {
      const scenario = await createScenario()
      await scenario.server.organizations.update('acme', { callSummaries })
      const callId = await playCall(scenario)
      await scenario.server.summaries.save('acme', callId, summary, byTeamMember)
      equal(summaries(scenario), 1)
    }
  },

  'and is delivered to webhooks subscribed to it on the channel of the call (3)': async () => {
    for (const channel of ['PSTN', 'WHATSAPP'] as const) {
      const scenario = await createScenario()
      const subscribe = (
        of: 'PSTN' | 'WHATSAPP',
        events: 'all' | ['CALL_AI_SUMMARY'] | ['CALL_ENDED'],
        path: string,
      ) =>
        scenario.server.subscriptions.create('acme', {
          channel: of,
          number: of === 'PSTN' ? pstn : waba,
          events,
          url: `https://receiver.example/${path}`,
        })
      await subscribe('PSTN', ['CALL_AI_SUMMARY'], 'PSTN')
      await subscribe('WHATSAPP', 'all', 'WHATSAPP')
      await subscribe(channel, ['CALL_ENDED'], 'another-event')
      const callId = await playCall(scenario, { channel })
      await scenario.server.summaries.save('acme', callId, summary, automatic)
      await scenario.advance(0)
      equal(sentTo(scenario, 'CALL_AI_SUMMARY'), [`/${channel}`])
    }
  },

  'with the payload of the specification': async () => {
    const scenario = await createScenario()
    await scenario.subscribe('PSTN')
    const callId = await begin(scenario, { agentNumber: agent })
    await scenario.server.calls.accept('acme', callId)
    scenario.clock.time += 60_000
    await scenario.server.calls.end('acme', callId, { durationInSeconds: 42 })
    const extra = { ...summary, mood: 'good' }
    await scenario.server.summaries.save('acme', callId, extra, automatic)
    await scenario.advance(0)
    equal(JSON.parse(scenario.sent.at(-1)?.body ?? ''), {
      event: 'CALL_AI_SUMMARY',
      channel: 'PSTN',
      callId,
      callDirection: 'INCOMING',
      callStatus: 'END',
      durationInSeconds: 42,
      callStartedAt: new Date(start).toISOString(),
      callEndedAt: new Date(start + 42_000).toISOString(),
      from: pstn,
      to: customer,
      channelNumber: pstn,
      customerNumber: customer,
      agentNumber: agent,
      callType: 'AGENT',
      triggeredVia: 'INBOUND',
      summary,
    })
  },
})

const notEmitted = defineCases('CALL_AI_SUMMARY is not emitted when', {
  'the call was missed or rejected (1)': async () => {
    const whatsApp = { channel: 'WHATSAPP', channelNumber: waba }
    for (const [action, state, changes] of [
      ['miss', 'missed', {}],
      ['reject', 'rejected', {}],
      ['miss', 'missed', whatsApp],
      ['reject', 'rejected', whatsApp],
    ] as const) {
      const scenario = await createScenario()
      const callId = await begin(scenario, changes)
      await scenario.server.calls[action]('acme', callId)
      for (const generation of [automatic, byTeamMember]) {
        const save = scenario.server.summaries.save('acme', callId, summary, generation)
        await rejects(save, { name: 'IllegalTransitionError', state })
      }
      equal(summaries(scenario), 0)
      equal((await scenario.server.calls.find('acme', callId))?.summary, undefined)
    }
  },

  'the call ended without a recording, or nothing was said (1)': async () => {
    for (const [ending, reason] of [
      [{ recorded: false }, 'no_recording'],
      [{ spoken: false }, 'nothing_said'],
    ] as const) {
      const scenario = await createScenario()
      const callId = await begin(scenario)
      await scenario.server.calls.accept('acme', callId)
      await scenario.server.calls.end('acme', callId, ending)
      for (const generation of [automatic, byTeamMember]) {
        const save = scenario.server.summaries.save('acme', callId, summary, generation)
        await rejects(save, { name: 'SummaryRefusedError', code: 'summary_refused', reason })
      }
      equal(summaries(scenario), 0)
      equal((await scenario.server.calls.find('acme', callId))?.summary, undefined)
    }
  },

  'a summary was generated earlier: the stored one changes, no second event (2)': async () => {
    const scenario = await createScenario()
    await scenario.subscribe('PSTN')
    const callId = await playCall(scenario)
    await scenario.server.summaries.save('acme', callId, summary, automatic)
    for (const [index, generation] of [automatic, byTeamMember].entries()) {
      const again = { ...summary, recap: `Version ${index}` }
      equal((await scenario.server.summaries.save('acme', callId, again, generation)).outcome, 'replaced')
      equal((await scenario.server.calls.find('acme', callId))?.summary?.summary, again)
    }
    await scenario.advance(86_400_000)
    equal([summaries(scenario), sentTo(scenario, 'CALL_AI_SUMMARY').length], [1, 1])
  },

  'two summaries are saved concurrently, except for the first (2)': async () => {
    const scenario = await createScenario()
    const callId = await playCall(scenario)
    const saves = Array.from({ length: 20 }, () =>
      scenario.server.summaries.save('acme', callId, summary, automatic),
    )
    const outcomes = (await Promise.all(saves)).map(({ outcome }) => outcome)
    equal([outcomes.filter((outcome) => outcome === 'first').length, summaries(scenario)], [1, 1])
  },

  'the call is a bot test call and webhooks were not turned on for it (3)': async () => {
    const scenario = await createScenario()
    await scenario.subscribe('PSTN')
    const callId = await begin(scenario, { callType: 'AI_BOT', botTest: { webhooks: false } })
    await scenario.server.calls.accept('acme', callId)
    await scenario.server.calls.end('acme', callId)
    equal((await scenario.server.summaries.save('acme', callId, summary, automatic)).outcome, 'first')
    equal((await scenario.server.summaries.save('acme', callId, summary, byTeamMember)).outcome, 'replaced')
    await scenario.advance(0)
    equal([scenario.names(), scenario.sent], [[], []])
    equal((await scenario.server.calls.find('acme', callId))?.summary?.summary, summary)
  },

  'but it is when webhooks were turned on for a bot test call (3)': async () => {
    const scenario = await createScenario()
    await scenario.subscribe('PSTN')
    const callId = await begin(scenario, { callType: 'AI_BOT', botTest: { webhooks: true } })
    await scenario.server.calls.accept('acme', callId)
    await scenario.server.calls.end('acme', callId)
    await scenario.server.summaries.save('acme', callId, summary, automatic)
    await scenario.advance(0)
    equal([summaries(scenario), scenario.sent.length], [1, 4])
  },

  'no webhook is subscribed: listeners receive it, but nothing is sent, not even later (4)': async () => {
    const scenario = await createScenario()
    await scenario.subscribe('WHATSAPP')
    const callId = await playCall(scenario, { channel: 'PSTN' })
    await scenario.server.summaries.save('acme', callId, summary, automatic)
    equal(summaries(scenario), 1)
    await scenario.subscribe('PSTN')
    await scenario.server.summaries.save('acme', callId, { ...summary, recap: 'Again' }, byTeamMember)
    await scenario.advance(86_400_000)
    equal([summaries(scenario), scenario.sent], [1, []])
  },
})

const rules = defineCases('CALL_AI_SUMMARY rules', {
  "a webhook receives only its own number's summaries of its own channel (1)": async () => {
    const scenario = await createScenario()
    // Uses one number on both channels, to show that the number alone does not decide.
    await scenario.server.organizations.update('acme', { pstnNumbers: [pstn, waba] })
    const subscribe = (channel: 'PSTN' | 'WHATSAPP', number: string) =>
      scenario.server.subscriptions.create('acme', {
        channel,
        number,
        url: `https://receiver.example/${channel}${number.replace(/\D/g, '')}`,
      })
    const own = [
      ['PSTN', pstn],
      ['PSTN', waba],
      ['WHATSAPP', waba],
      ['WHATSAPP', secondWaba],
    ] as const
    for (const [channel, number] of own) await subscribe(channel, number)
    for (const [channel, number] of own) {
      const callId = await playCall(scenario, { channel, number })
      await scenario.server.summaries.save('acme', callId, summary, automatic)
      await scenario.advance(0)
      equal(sentTo(scenario, 'CALL_AI_SUMMARY'), [`/${channel}${number.replace(/\D/g, '')}`])
      equal(new Set(scenario.sent.map(({ url }) => url)).size, 1)
      equal(scenario.sent.length, 4)
      scenario.sent.length = 0
    }
  },

  'the event arrives after CALL_ENDED of the same call, even if that fails repeatedly (2)': async () => {
    const scenario = await createScenario()
    await scenario.subscribe('PSTN')
    let failures = 0
    scenario.respond = ({ event }) =>
      new Response(null, { status: event === 'CALL_ENDED' && failures++ < 8 ? 500 : 200 })
    const callId = await playCall(scenario)
    await scenario.server.summaries.save('acme', callId, summary, automatic)
    await scenario.advance(3 * 86_400_000)
    const order = scenario.sent.map(({ event }) => event)
    equal(order.slice(-2), ['CALL_ENDED', 'CALL_AI_SUMMARY'])
    equal(order.filter((event) => event === 'CALL_ENDED').length, 9)
  },

  'a failed delivery does not affect the saved summary (3)': async () => {
    const scenario = await createScenario()
    await scenario.subscribe('PSTN')
    scenario.respond = () => {
      throw new TypeError('connection refused')
    }
    const callId = await playCall(scenario)
    await scenario.server.summaries.save('acme', callId, summary, automatic)
    await scenario.advance(10 * 86_400_000)
    const { items } = await scenario.server.deliveries.list('acme')
    ok(
      items.every(({ status }) => status === 'exhausted' || status === 'skipped'),
      JSON.stringify(items),
    )
    equal((await (await getSummary(scenario, callId)).json()).summary, summary)
  },
})

/** Every publication rule. */
export const publicationCases = [...groupEvents, ...callEvents, ...emitted, ...notEmitted, ...rules]
