import { createServer } from 'node:net'
import { type ProbeAnswer, type ProbeOptions, probeQuestions, probeService } from '@wabakit/conformance'
import { CreateGroupRequest } from '@wabakit/contract'
import { addSeen, createEmptyProfile, MeasuredProfile, type ResponseForm } from '@wabakit/contract/profile'
import { createMock, type Mock } from '@wabakit/mock'
import { expect, test } from 'vitest'
import { listenOnFreePort } from '../listen-on-free-port.ts'
import {
  pstnCall,
  type Service,
  serviceKey,
  services,
  startService,
  subject,
  wabaNumber,
  whatsAppCall,
} from './services.ts'

const probe = (options: Partial<ProbeOptions> & Pick<ProbeOptions, 'baseUrl'>) =>
  probeService({
    apiKey: serviceKey,
    pstnCalls: [pstnCall],
    whatsAppCalls: [whatsAppCall],
    createGroup: { wabaNumber, subject },
    wrongKey: true,
    intervalMs: 0,
    ...options,
  })

const toProfile = (answers: readonly ProbeAnswer[]): MeasuredProfile => {
  const profile = createEmptyProfile()
  for (const { question, form } of answers)
    if (form !== undefined)
      profile.api[question] = addSeen(profile.api[question], { value: form, source: 'probe', at: new Date() })
  return MeasuredProfile.parse(profile)
}

const listForms = ({ api }: MeasuredProfile): Record<string, Set<string>> =>
  Object.fromEntries(
    Object.entries(api).map(([question, answer]) => [
      question,
      new Set(answer?.values.map(({ value }) => JSON.stringify(value))),
    ]),
  )

/** Probes a mock whose calls are in the states of the service's. */
const probeMock = async (
  mock: Mock,
  { pstn }: { readonly pstn?: Service['pstn'] | 'answered' },
): Promise<ProbeAnswer[]> => {
  const call = await mock.simulateCall({
    channel: 'PSTN',
    outcome: pstn === 'never' ? 'nothing_said' : 'answered',
    ...(pstn === 'pending' && { summary: { after: '1h' } }),
  })
  const other = await mock.simulateCall({ channel: 'WHATSAPP' })
  const { answers } = await probe({
    baseUrl: mock.url,
    apiKey: mock.apiKey,
    pstnCalls: [call.callId],
    whatsAppCalls: [other.callId],
    createGroup: { wabaNumber: mock.wabaNumber, subject },
  })
  return [...answers]
}

/** The status, or that a key is accepted, with which the printed answer of the profile `live` begins. */
const summarize = ({ question, form }: ProbeAnswer): [string, string] => [
  question,
  typeof form === 'object' ? String(form.status) : String(form),
]

test.each(['answered', 'pending', 'never'] as const)(
  'what probe prints as the assumption of live is what a live mock answers, with a summary that is %s',
  async (pstn) => {
    await using mock = await createMock({ port: 0, profile: 'live' })
    const answers = await probeMock(mock, { pstn })
    const answered = Object.fromEntries(answers.filter(({ form }) => form !== undefined).map(summarize))
    const printed = Object.keys(answered).map((question) => {
      const { live } = probeQuestions[question as ProbeAnswer['question']]
      return [question, /^\w+/.exec(live)?.[0]]
    })
    expect(answered).toEqual(Object.fromEntries(printed))
    expect(Object.keys(answered).length).toBeGreaterThan(10)
  },
)

test.each(services)(
  'a service that differs $differs: the mock agrees with it, and the profile claims no more',
  async (service) => {
    await using running = await startService(service)
    const { answers, requests, endedBy } = await probe({ baseUrl: running.url })
    expect(requests).toBeLessThanOrEqual(20)
    expect(running.received).toHaveLength(requests)
    const profile = toProfile(answers)
    // A 429 ends it.
    if ('rate-limited' in service.knows)
      expect([requests, endedBy]).toEqual([4, expect.stringContaining('429')])

    const known = Object.fromEntries(
      Object.entries(profile.api).map(([question, answer]) => [
        question,
        answer?.values.map(({ value }) => (typeof value === 'object' ? value.status : value)).toSorted(),
      ]),
    )
    expect(known).toEqual(service.knows)
    const written = JSON.stringify(profile)
    for (const secret of [
      serviceKey,
      wabaNumber.slice(1),
      subject,
      pstnCall,
      whatsAppCall,
      'rivate',
      'Ada',
      '66f1',
    ])
      expect(written).not.toContain(secret)

    await using mock = await createMock({
      profile,
      port: 0,
      clock: 'machine',
      integrationEnabled: !('create.refused' in service.knows),
    })
    const played: ProbeAnswer[] = []
    // Twice, because what contradicts itself is played in turn.
    for (let run = 0; run < 2; run++) played.push(...(await probeMock(mock, service)))
    const { 'rate-limited': limited, ...forms } = listForms(profile)
    const playedForms = listForms(toProfile(played))
    for (const question of Object.keys(forms))
      expect([question, playedForms[question]]).toEqual([question, forms[question]])
    if (limited === undefined) return
    const fetches = Array.from({ length: 31 }, () =>
      mock.fetch(`${mock.url}/v1/call/ai-summary?callId=x`, { headers: { authorization: mock.apiKey } }),
    )
    const last = (await Promise.all(fetches)).at(-1)
    expect(last?.status).toBe(429)
    expect(last?.headers.get('retry-after')).toMatch(/ GMT$/)
  },
)

const state = (value: unknown) => [{ value, source: 'stated' as const }]

test('what a person states is played, and a value of a test run is seen in every variant', async () => {
  const form = (status: number): ResponseForm => ({ status, body: 'empty', fields: {}, headers: [] })
  const profile = {
    ...createEmptyProfile(),
    api: { 'unknown-path': { values: [...state(form(410)), ...state(form(404)), ...state('never')] } },
  }
  const play = async (seed: number) => {
    await using mock = await createMock({ profile, seed })
    const statuses: number[] = []
    for (let count = 0; count < 6; count++) statuses.push((await mock.fetch(`${mock.url}/none`)).status)
    return statuses
  }
  const first = await play(1)
  expect(new Set(first)).toEqual(new Set([404, 410]))
  expect(await play(1)).toEqual(first)
  const starts = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(async (seed) => (await play(seed))[0]))
  expect(new Set(starts).size).toBeGreaterThan(1)
})

test('asks with GET alone unless told otherwise, and a call needs no group', async () => {
  const [service] = services
  if (service === undefined) throw new Error('no service')
  await using running = await startService(service)
  const { requests } = await probe({
    baseUrl: running.url,
    createGroup: undefined,
    wrongKey: false,
    pstnCalls: Array.from({ length: 12 }, (_, index) => `call_${index}`),
    whatsAppCalls: [],
  })
  expect(requests).toBe(20)
  expect(running.received.filter((each) => !each.startsWith('GET '))).toEqual([])
  await expect(
    probe({
      baseUrl: running.url,
      pstnCalls: Array.from({ length: 13 }, String),
      whatsAppCalls: [],
      wrongKey: false,
      createGroup: undefined,
    }),
  ).rejects.toThrow('A probe sends at most 20 requests, so it can ask for 12 calls, not 13.')
  expect(running.received).toHaveLength(20)
})

test('waits between requests, creates one valid group, and sends a wrong key once, at the end', async () => {
  const service = services.find(({ knows }) => knows['create.response']?.includes(200))
  if (service === undefined) throw new Error('no service creates groups')
  const asked: (Parameters<Service['respond']>[0] & { readonly at: number })[] = []
  await using running = await startService({
    respond: (request) => {
      asked.push({ ...request, at: performance.now() })
      return service.respond(request)
    },
  })
  await probe({ baseUrl: running.url, intervalMs: 20 })
  const pauses = asked.slice(1).map(({ at }, index) => at - (asked[index]?.at ?? 0))
  // A timer may be a millisecond early.
  expect(Math.min(...pauses)).toBeGreaterThan(18)
  const hasOtherKey = ({ authorization, ownHeader }: (typeof asked)[number]): boolean =>
    [authorization?.replace('Bearer ', ''), ownHeader].some((key) => key !== undefined && key !== serviceKey)
  expect(asked.filter(hasOtherKey)).toEqual(asked.slice(-1))
  const created = asked.filter(({ method }) => method !== 'GET')
  expect(created.length).toBeGreaterThan(0)
  for (const { body } of created) expect(CreateGroupRequest.safeParse(body)).toMatchObject({ success: true })
  expect(new Set(created.map(({ body }) => body.groupId)).size).toBe(1)
})

test('a 429 that says nothing more, because its body is not the JSON that it claims to be, ends the probe', async () => {
  const limited = { status: 429, headers: { 'content-type': 'application/json' }, text: 'Slow down' }
  await using running = await startService({
    respond: ({ count }) => (count > 2 ? limited : { status: 401, json: {} }),
  })
  const { requests, endedBy } = await probe({ baseUrl: running.url })
  expect([requests, endedBy]).toEqual([3, 'the service asked for fewer requests (429)'])
})

test('a service that switches to another protocol answers nothing, and leaves a profile that can be read', async () => {
  const head = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.write(head))
  })
  const url = await listenOnFreePort(server)
  const { answers } = await probe({ baseUrl: url })
  expect(new Set(answers.map(({ reason }) => reason))).toEqual(
    new Set(['101: the service switched to another protocol']),
  )
  expect(toProfile(answers).api).toEqual({})
})
