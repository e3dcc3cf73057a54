import { expect, test } from 'vitest'
import { createReferenceServer } from '../create-reference-server.ts'
import { StorageOutcomeUnknownError, StorageUnavailableError } from '../errors/storage-errors.ts'
import { memoryStore } from '../memory-store/memory-store.ts'
import type { Store } from '../store.ts'
import { createCallData, createPhoneNumber, nameCustomer } from './call-data.ts'
import type { CallSimulation } from './call-simulation.ts'
import { createSeededRandom } from './seeded-random.ts'
import { type SimulationContext, simulateCall } from './simulate-call.ts'

const acme = { id: 'acme', integrations: [{ wabaNumber: '+15550100001' }], pstnNumbers: ['+15550100002'] }

const createSimulation = (changes: Partial<Store> = {}, organization: object = {}, now = Date.now) => {
  const server = createReferenceServer({
    clock: { now },
    organizations: [{ ...acme, ...organization }],
    store: { ...memoryStore(), ...changes },
  })
  const scheduled: Parameters<SimulationContext['schedule']>[] = []
  const context: SimulationContext = {
    server,
    organizationId: 'acme',
    data: createCallData(createSeededRandom('call')),
    now,
    schedule: (...task) => scheduled.push(task),
  }
  const simulate = (simulation?: CallSimulation) => simulateCall(context, simulation)
  return { server, context, scheduled, simulate }
}

test.each<[object, string, string]>([
  [
    { outcome: 'lost' },
    'outcome',
    'outcome must be answered, missed, rejected, no_recording or nothing_said',
  ],
  [
    { outcome: 'missed', summary: {} },
    'summary',
    'must be omitted or false: a call with the outcome "missed" has no summary',
  ],
  [
    { summary: { after: '30' } },
    'summary.after',
    "must be milliseconds, 0 or more, or a string such as '500ms', '30s', '5m', '2h' or '1d'",
  ],
  [{ durationInSeconds: -1 }, 'durationInSeconds', 'durationInSeconds must be at least 0'],
  [{ durationInSeconds: 0.5 }, 'durationInSeconds', 'durationInSeconds must be an integer'],
  [{ durationInSeconds: 946_080_001 }, 'durationInSeconds', 'durationInSeconds must be at most 946080000'],
])('the simulation %j is refused before its call starts', async (simulation, path, message) => {
  const { server, simulate } = createSimulation()
  await expect(simulate(simulation)).rejects.toMatchObject({ issues: [{ path, message }] })
  expect((await server.calls.list('acme')).items).toEqual([])
})

test.each<[CallSimulation, object]>([
  [{ summary: { recap: '\ud800' } }, { issues: [{ path: 'recap' }] }],
  [{ summary: { keyPoints: ['\0'], after: '1h' } }, { issues: [{ path: 'keyPoints' }] }],
  [{ summary: { generatedBy: 'automatic' } }, { code: 'summary_refused', reason: 'automatic_summaries_off' }],
])('%j is refused before its call starts, with manual summaries', async (simulation, error) => {
  const { server, scheduled, simulate } = createSimulation({}, { callSummaries: 'manual' })
  await expect(simulate(simulation)).rejects.toMatchObject(error)
  const [calls, events] = await Promise.all([server.calls.list('acme'), server.events.list('acme')])
  expect([calls.items, events.items, scheduled]).toEqual([[], [], []])
})

test('a call may take 30 years', async () => {
  const { simulate } = createSimulation()
  expect(await simulate({ durationInSeconds: 946_080_000 })).toMatchObject({ durationInSeconds: 946_080_000 })
})

test('a call that would start before 1970 is refused before it starts, and one of no given length fits', async () => {
  const { server, simulate } = createSimulation({}, {}, () => 9_500)
  await expect(simulate({ durationInSeconds: 10 })).rejects.toMatchObject({
    issues: [{ path: 'durationInSeconds', message: expect.stringMatching(/^must be at most 9, /) }],
  })
  expect((await server.calls.list('acme')).items).toEqual([])
  expect(await simulate()).toMatchObject({ startedAt: 500, endedAt: 9_500, durationInSeconds: 9 })
})

test('an organization that does not exist is reported, and one without a number cannot have a call', async () => {
  const { context, simulate } = createSimulation({}, { pstnNumbers: [] })
  await expect(simulateCall({ ...context, organizationId: 'nobody' })).rejects.toMatchObject({
    kind: 'organization',
    id: 'nobody',
  })
  await expect(simulate()).rejects.toMatchObject({ issues: [{ path: 'channelNumber' }] })
})

test('a simulated call has every given field, and otherwise the defaults and generated people', async () => {
  const { context, server, simulate } = createSimulation()
  const { customerNumber, agentNumber, durationInSeconds } = context.data
  const answered = { state: 'ended', recorded: true, spoken: true, publishesEvents: true }
  const byDefault = {
    ...{ ...answered, channel: 'PSTN', direction: 'INCOMING', channelNumber: '+15550100002', customerNumber },
    ...{ agentNumber, callType: 'AGENT', triggeredVia: 'INBOUND', durationInSeconds },
  }
  const given: CallSimulation = {
    callId: 'c1',
    channel: 'WHATSAPP',
    direction: 'OUTGOING',
    channelNumber: '+15550100001',
    customerNumber: '+15550199001',
    agentNumber: '+15550199002',
    callType: 'AI_BOT',
    triggeredVia: 'UI',
    durationInSeconds: 7,
  }
  const cases: readonly (readonly [CallSimulation, typeof answered & Record<string, unknown>])[] = [
    [{}, byDefault],
    [given, { ...answered, ...given }],
    [{ channel: 'WHATSAPP' }, { ...byDefault, channel: 'WHATSAPP', channelNumber: '+15550100001' }],
    [{ callType: 'AI_BOT' }, { ...byDefault, callType: 'AI_BOT', agentNumber: null }],
    [
      { callType: 'AI_BOT', direction: 'OUTGOING', triggeredVia: 'UI' },
      { ...byDefault, callType: 'AI_BOT', direction: 'OUTGOING', triggeredVia: 'UI' },
    ],
    [{ outcome: 'no_recording' }, { ...byDefault, recorded: false }],
    [{ outcome: 'nothing_said' }, { ...byDefault, spoken: false }],
    [{ botTest: { webhooks: false } }, { ...byDefault, publishesEvents: false }],
  ]
  for (const [simulation, expected] of cases) {
    const call = await simulate(simulation)
    expect(call).toMatchObject(expected)
    expect((call.endedAt ?? 0) - (call.startedAt ?? 0)).toBe(1_000 * (call.durationInSeconds ?? 0))
    const { items } = await server.events.list('acme', { subject: `call:${call.callId}` })
    expect(items.length > 0).toBe(expected.publishesEvents)
  }
})

test('a requested summary is generated by a team member where automatic summaries are off', async () => {
  const { server, simulate } = createSimulation({}, { callSummaries: 'manual' })
  const { callId } = await simulate({ summary: { recap: 'They agreed.' } })
  const found = await server.calls.find('acme', callId)
  expect(found?.summary).toMatchObject({ generatedBy: 'team_member', summary: { recap: 'They agreed.' } })
  expect((await simulate()).summary).toBeUndefined()
})

test('a later summary is scheduled, and described', async () => {
  const { server, scheduled, simulate } = createSimulation()
  const { callId } = await simulate({ summary: { after: '30s' } })
  expect((await server.calls.find('acme', callId))?.summary).toBeUndefined()
  const [[delayMs, task, description] = []] = scheduled
  expect([scheduled.length, delayMs, description]).toEqual([1, 30_000, `the summary of ${callId}`])
  await task?.()
  expect((await server.calls.find('acme', callId))?.summary).toBeDefined()
})

test('if the store fails after the call has started, the outcome is unknown, with the cause', async () => {
  const memory = memoryStore()
  const cause = new StorageUnavailableError('down')
  let saved = 0
  const fail: Pick<Store, 'saveCall'> = {
    saveCall: async (change) => {
      if (++saved === 2) throw cause
      return memory.saveCall(change)
    },
  }
  const { simulate } = createSimulation({ ...memory, ...fail })
  const error = await simulate({ callId: 'c1' }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StorageOutcomeUnknownError)
  expect(error).toMatchObject({ cause })
  expect(String(error)).toMatch(/The call c1 was started, but the simulation was interrupted\./)
})

test('any other error after the call has started is passed on', async () => {
  const memory = memoryStore()
  const bug = new TypeError('a bug')
  const { simulate } = createSimulation({
    ...memory,
    saveSummary: async () => {
      throw bug
    },
  })
  await expect(simulate()).rejects.toBe(bug)
})

test('omitted parts are made up, also those of a summary, but an AI bot has a team member only if one has started the call', async () => {
  const { context, simulate } = createSimulation()
  const { data } = context
  const agent = await simulate({ summary: { recap: 'They agreed.', nextSteps: ['Send the offer'] } })
  expect(agent).toMatchObject({
    customerNumber: data.customerNumber,
    agentNumber: data.agentNumber,
    durationInSeconds: data.durationInSeconds,
    channelNumber: '+15550100002',
    summary: { ...data.summary, recap: 'They agreed.', nextSteps: ['Send the offer'] },
  })
  const bot = await simulate({ callType: 'AI_BOT', channel: 'WHATSAPP', direction: 'OUTGOING' })
  expect(bot).toMatchObject({ agentNumber: null, channelNumber: '+15550100001', triggeredVia: 'API' })
  const started = await simulate({ callType: 'AI_BOT', direction: 'OUTGOING', triggeredVia: 'UI' })
  expect(started.agentNumber).toBe(data.agentNumber)
})

test('an automatic summary is generated automatically', async () => {
  const { server, simulate } = createSimulation()
  const { callId } = await simulate()
  expect((await server.calls.find('acme', callId))?.summary?.generatedBy).toBe('automatic')
})

test('a call without webhooks has no event of live services either', async () => {
  const { server, simulate } = createSimulation()
  const call = { channel: 'WHATSAPP', outcome: 'missed', notPicked: 1, observedEvents: true } as const
  await simulate({ ...call, botTest: { webhooks: false } })
  expect((await server.events.list('acme')).items).toEqual([])
  await simulate(call)
  const { items } = await server.events.list('acme')
  expect(items.map(({ name }) => name)).toEqual(['CALL_INCOMING_INITIATED', 'CALL_NOT_PICKED', 'CALL_MISSED'])
})

test('a made-up number is fictional, and none of those that are taken', () => {
  const random = createSeededRandom('numbers')
  const numbers = Array.from({ length: 300 }, () => createPhoneNumber(random))
  for (const number of numbers) expect(number).toMatch(/^\+1[2-9]\d{2}55501\d{2}$/)
  // The first draws lead to the first possible number, and the next ones to another.
  const fixed = () => {
    const draws = [0, 0, 0.5, 0.5]
    return () => draws.shift() ?? 0.99
  }
  expect(createPhoneNumber(fixed())).toBe('+12025550100')
  expect(createPhoneNumber(fixed(), ['+12025550100'])).toMatch(/^\+1\d{3}5550150$/)
  expect(createPhoneNumber(() => 0.999)).toBe('+19715550199')
})

test('the people of a call have names and different numbers, which are not those of the organization', () => {
  const taken = Array.from({ length: 100 }, (_, line) => `+12025550${100 + line}`)
  for (let index = 0; index < 50; index++) {
    const data = createCallData(createSeededRandom('people', index), taken)
    expect(nameCustomer(data.customerNumber)).toMatch(/^\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+$/u)
    expect(taken).not.toContain(data.customerNumber)
    expect([...taken, data.customerNumber]).not.toContain(data.agentNumber)
  }
  // The same draws for both numbers.
  let at = 0
  const { customerNumber, agentNumber } = createCallData(() => [0, 0, 0, 0, 0, 0, 0.5, 0.5][at++] ?? 0)
  expect([customerNumber, agentNumber !== customerNumber]).toEqual(['+12025550100', true])
})
