import { callTransitions, participantTransitions } from '@wabakit/core'
import { equal, includes, ok, rejects } from '../store-cases/assert.ts'
import { defineCases } from './cases.ts'
import { agent, createScenario, customer, pstn, type Scenario, summary, waba } from './scenario.ts'

const callActions = ['accept', 'end', 'miss', 'reject', 'summarize'] as const
type CallAction = (typeof callActions)[number]

/** The steps that lead to each state. */
const paths: Record<keyof typeof callTransitions, readonly CallAction[]> = {
  initiated: [],
  accepted: ['accept'],
  ended: ['accept', 'end'],
  summarized: ['accept', 'end', 'summarize'],
  missed: ['miss'],
  rejected: ['reject'],
}

const perform = ({ server }: Scenario, callId: string, action: CallAction): Promise<unknown> =>
  action === 'summarize'
    ? server.summaries.save('acme', callId, summary, { generatedBy: 'team_member' })
    : server.calls[action]('acme', callId)

const findState = async ({ server }: Scenario, callId: string): Promise<string | undefined> => {
  const found = await server.calls.find('acme', callId)
  return found?.summary === undefined ? found?.call.state : 'summarized'
}

const begin = async (scenario: Scenario): Promise<string> => {
  const input = {
    channel: 'PSTN',
    direction: 'INCOMING',
    channelNumber: pstn,
    customerNumber: customer,
  } as const
  return (await scenario.server.calls.start('acme', input)).callId
}

/** The transitions: every action in every state. */
export const transitionCases = defineCases('Transitions', {
  'are these, and no others': async () => {
    equal(callTransitions, {
      initiated: { accept: 'accepted', miss: 'missed', reject: 'rejected' },
      accepted: { end: 'ended' },
      ended: { summarize: 'summarized' },
      summarized: { summarize: 'summarized' },
      missed: {},
      rejected: {},
    })
    equal(participantTransitions, {
      outside: { join: 'joined' },
      joined: { leave: 'left', remove: 'removed' },
      left: { join: 'joined' },
      removed: { join: 'joined' },
    })
  },

  'a call takes every step that callTransitions has, and no other': async () => {
    for (const [state, path] of Object.entries(paths)) {
      const steps: Readonly<Record<string, string>> = callTransitions[state as keyof typeof callTransitions]
      for (const action of callActions) {
        const scenario = await createScenario()
        const callId = await begin(scenario)
        for (const each of path) await perform(scenario, callId, each)
        equal(await findState(scenario, callId), state)
        const before = [scenario.names(), await scenario.server.calls.find('acme', callId)]
        const next = steps[action]
        if (next === undefined) {
          await rejects(perform(scenario, callId, action), {
            code: 'illegal_transition',
            kind: 'call',
            state,
            action,
          })
          equal([scenario.names(), await scenario.server.calls.find('acme', callId)], before)
        } else {
          await perform(scenario, callId, action)
          equal(await findState(scenario, callId), next)
        }
      }
    }
  },

  'a participant takes every step that participantTransitions has, and no other': async () => {
    const ways = {
      outside: [],
      joined: ['join'],
      left: ['join', 'leave'],
      removed: ['join', 'remove'],
    } as const
    for (const [state, path] of Object.entries(ways)) {
      const steps: Readonly<Record<string, string>> =
        participantTransitions[state as keyof typeof participantTransitions]
      for (const action of ['join', 'leave', 'remove'] as const) {
        const scenario = await createScenario()
        await scenario.server.groups.create('acme', { wabaNumber: waba, subject: 'x', groupId: 'g' })
        const who = { groupId: 'g', phone: customer }
        const { participants } = scenario.server
        for (const each of path) await participants[each]('acme', who)
        const before = [scenario.names(), await participants.find('acme', who)]
        const next = steps[action]
        if (next === undefined) {
          const expected = { code: 'illegal_transition', kind: 'participant', state, action }
          await rejects(participants[action]('acme', who), expected)
          equal([scenario.names(), await participants.find('acme', who)], before)
        } else {
          equal((await participants[action]('acme', who)).state, next)
          equal(scenario.names().length, path.length + 2)
        }
      }
    }
  },

  'the error of an illegal step lists the possible actions': async () => {
    const scenario = await createScenario()
    const callId = await begin(scenario)
    const error = await rejects(scenario.server.calls.end('acme', callId))
    ok(error instanceof Error, 'an error')
    equal(error.message, 'Cannot end a call that is initiated (possible: accept, miss, reject).')
    await scenario.server.calls.miss('acme', callId)
    const last = await rejects(scenario.server.calls.accept('acme', callId))
    ok(last instanceof Error && last.message.endsWith('(no further action is possible).'), String(last))
  },

  'of many concurrent identical steps, one succeeds': async () => {
    const scenario = await createScenario()
    const callId = await begin(scenario)
    const steps = Array.from({ length: 20 }, () => scenario.server.calls.accept('acme', callId))
    const outcomes = await Promise.allSettled(steps)
    equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    equal(scenario.names(), ['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED'])

    await scenario.server.groups.create('acme', { wabaNumber: waba, subject: 'x', groupId: 'g' })
    const joins = Array.from({ length: 20 }, () =>
      scenario.server.participants.join('acme', { groupId: 'g', phone: customer }),
    )
    equal((await Promise.allSettled(joins)).filter(({ status }) => status === 'fulfilled').length, 1)
  },

  'a participant is found after joining and after leaving, by any form of the phone number': async () => {
    const scenario = await createScenario()
    await scenario.server.groups.create('acme', { wabaNumber: waba, subject: 'x', groupId: 'g' })
    const { participants } = scenario.server
    const who = { groupId: 'g', phone: '(49)30901820' }
    equal(await participants.find('acme', who), undefined)
    const joined = await participants.join('acme', { groupId: 'g', phone: customer })
    equal(await participants.find('acme', who), joined)
    includes(joined, { phone: customer, state: 'joined', revision: 1 })
    const left = await participants.leave('acme', who)
    equal(await participants.find('acme', who), left)
    const again = await participants.join('acme', who)
    includes(again, { phone: '(49)30901820', state: 'joined', revision: 3 })
    equal(await participants.find('acme', who), again)
  },

  'a record that does not exist results in a typed error, and nothing happens': async () => {
    const scenario = await createScenario()
    const { calls, participants, summaries, groups } = scenario.server
    const noCall = { code: 'record_not_found', kind: 'call', id: 'c' }
    await rejects(calls.accept('acme', 'c'), noCall)
    await rejects(summaries.save('acme', 'c', summary, { generatedBy: 'automatic' }), noCall)
    await rejects(participants.join('acme', { groupId: 'g', phone: customer }), { kind: 'group', id: 'g' })
    const nobody = { code: 'record_not_found', kind: 'organization', id: 'nobody' }
    await rejects(groups.create('nobody', { wabaNumber: waba, subject: 'x' }), nobody)
    await rejects(calls.accept('nobody', 'c'), nobody)
    await rejects(participants.join('nobody', { groupId: 'g', phone: customer }), nobody)
    equal(scenario.names(), [])
  },

  'invalid input results in a typed error with issues, and nothing happens': async () => {
    const scenario = await createScenario()
    const { calls, participants, groups } = scenario.server
    const good = {
      channel: 'PSTN',
      direction: 'INCOMING',
      channelNumber: pstn,
      customerNumber: customer,
    } as const
    const invalid = async (changes: object, ...paths: string[]) => {
      const error = await rejects(calls.start('acme', { ...good, ...changes }), { code: 'invalid_input' })
      ok(error instanceof Error && 'issues' in error && Array.isArray(error.issues), 'issues')
      equal(
        error.issues.map(({ path }) => path),
        paths,
      )
    }
    const invalidField = async (promise: Promise<unknown>, path: string): Promise<string> => {
      const error = await rejects(promise, { code: 'invalid_input' })
      ok(error instanceof Error && error.message.startsWith(path), String(error))
      return error.message
    }
    await invalid({ channel: 'SMS' }, 'channel')
    await invalid({ direction: 'UP' }, 'direction')
    await invalid({ callType: 'HUMAN', triggeredVia: 'MAGIC' }, 'callType', 'triggeredVia')
    await invalid({ channelNumber: waba }, 'channelNumber')
    await invalid({ direction: 'OUTGOING', triggeredVia: 'INBOUND' }, 'triggeredVia')
    for (const triggeredVia of ['API', 'CAMPAIGN', 'UI']) {
      await invalid({ direction: 'INCOMING', triggeredVia }, 'triggeredVia')
    }
    await invalid({ customerNumber: 'nobody', callId: '' }, 'customerNumber', 'callId')
    await invalid({ agentNumber: 'x' }, 'agentNumber')
    await invalid({ callId: 'a\0' }, 'callId')
    await groups.create('acme', { wabaNumber: waba, subject: 'x', groupId: 'g' })
    await invalidField(participants.join('acme', { groupId: 'g', phone: 'x' }), 'phone')
    await invalidField(participants.find('acme', { groupId: 'g', phone: 'x' }), 'phone')
    const callId = await begin(scenario)
    await rejects(calls.start('acme', { ...good, callId }), { code: 'record_exists', kind: 'call' })
    await invalidField(calls.accept('acme', callId, { agentNumber: 'x' }), 'agentNumber')
    for (const startedAt of [-1, 0.5, Number.NaN]) {
      await invalidField(calls.accept('acme', callId, { startedAt }), 'startedAt')
    }
    await calls.accept('acme', callId)
    for (const durationInSeconds of [-1, 1.5, Number.NaN, 1]) {
      await invalidField(calls.end('acme', callId, { durationInSeconds }), 'durationInSeconds')
    }
    await calls.end('acme', callId)
    for (const wrong of [
      {},
      { ...summary, recap: 1 },
      { ...summary, keyPoints: ['a\0'] },
      { ...summary, keyPoints: ['\ud83c', '\udf89'] },
      { ...summary, nextSteps: ['\ud83c', '\udf89'] },
      { ...summary, recap: '\ud800' },
    ]) {
      const save = scenario.server.summaries.save('acme', callId, wrong as typeof summary, {
        generatedBy: 'automatic',
      })
      await rejects(save, { code: 'invalid_input' })
    }
    equal(scenario.names(), ['GROUP_CREATED', 'CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED'])
  },

  'a call that an AI bot handles has a team member only if a team member started it': async () => {
    const { calls } = (await createScenario()).server
    const startCall = (triggeredVia: 'UI' | 'API') =>
      calls.start('acme', {
        channel: 'PSTN',
        direction: 'OUTGOING',
        channelNumber: pstn,
        customerNumber: customer,
        agentNumber: agent,
        callType: 'AI_BOT',
        triggeredVia,
      })
    equal([(await startCall('UI')).agentNumber, (await startCall('API')).agentNumber], [agent, null])
  },

  'a call may have been answered at the start of Unix time, and started no later': async () => {
    const scenario = await createScenario()
    const callId = await begin(scenario)
    const accepted = await scenario.server.calls.accept('acme', callId, { startedAt: 0 })
    equal([accepted.initiatedAt, accepted.startedAt], [0, 0])
  },

  'by default, a call is handled by an agent, and its trigger follows from its direction and type':
    async () => {
      const { server } = await createScenario()
      const startCall = (direction: 'INCOMING' | 'OUTGOING', callType?: 'AI_BOT') =>
        server.calls.start('acme', {
          channel: 'PSTN',
          direction,
          channelNumber: pstn,
          customerNumber: customer,
          callType,
        })
      const calls = [
        await startCall('INCOMING'),
        await startCall('OUTGOING'),
        await startCall('OUTGOING', 'AI_BOT'),
      ]
      equal(
        calls.map(({ callType, triggeredVia }) => [callType, triggeredVia]),
        [
          ['AGENT', 'INBOUND'],
          ['AGENT', 'UI'],
          ['AI_BOT', 'API'],
        ],
      )
      ok(
        calls.every(({ callId }) => /^call_\w{26}$/.test(callId)),
        'generated ids',
      )
    },
})
