import { endpointCheckIds, planExamination } from '@wabakit/conformance'
import { expect, test, vi } from 'vitest'
import { isMatrix } from '../../server/test/programs.ts'
import { header, previousSecret, secret, startEndpoint } from './endpoint.ts'
import { examine, limits } from './examine.ts'

vi.setConfig({ testTimeout: 1_200_000 })

const token = 'a-token-of-24-characters'

type Options = NonNullable<Parameters<typeof examine>[1]>

/** Starts an endpoint that shows every event. It verifies what its sender has: a signature, a token, or both. */
const start = (options: Options) =>
  startEndpoint(({ effects, right }) => ({
    verify: (incoming) => {
      if (options.headers !== undefined && header(incoming.request, 'x-token') !== token) return 'wrong token'
      // A sender without a secret does not sign.
      return 'secret' in options ? undefined : right.verify(incoming)
    },
    isDuplicate: (id) => id !== '' && right.isDuplicate(id),
    handle: (event) => {
      const line = `${event.event} ${event.callId ?? event.groupId} ${event.customerPhone ?? ''} ${event.participantJoinedAt ?? ''}`
      const isRepeat = event.event !== 'CALL_NOT_PICKED' && !('tagId' in event) && effects.includes(line)
      if (!isRepeat) effects.push(line)
    },
  }))

/** Runs an examination, and returns how many requests each check announces and sends. */
const count = async (options: Options) => {
  await using endpoint = await start(options)
  const sent: Record<string, number> = {}
  let announced: number | undefined
  const report = await examine(endpoint, {
    ...options,
    onStart: ({ requests }) => {
      announced = requests
    },
    onExchange: (id) => {
      sent[id] = (sent[id] ?? 0) + 1
    },
  })
  return { report, sent, announced }
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, each) => total + each, 0)

const url = 'http://127.0.0.1/'
const headers = { 'x-token': token }
const options = { url, secret, previousSecret, headers, effects: '', limits }

/** Counts the planned requests of one check alone. */
const plan = (id: string): number => {
  const control = planExamination({ ...options, only: [] }).requests
  const { requests } = planExamination({ ...options, only: [id] })
  return id === endpointCheckIds[0] ? control : requests - control
}

test.concurrent('announces as many requests of each check as it sends', async () => {
  const { report, sent, announced } = await count({ headers })
  expect(report.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  const planned = endpointCheckIds.map((id) => [id, plan(id)] as const)
  expect(sent).toEqual(Object.fromEntries(planned.filter(([, requests]) => requests > 0)))
  expect(announced).toBe(sum(sent))
})

// Where a setting changes what few checks send, only these run.
test.concurrent.each(
  Object.entries({
    'without a previous secret': { previousSecret: undefined, only: ['accepts-either-secret-in-rotation'] },
    // Two whole runs more.
    ...(isMatrix && {
      'without effects': { effects: undefined },
      'with a header instead of a secret': { secret: undefined, previousSecret: undefined, headers },
    }),
    'with other limits': {
      limits: { burst: 7, slowConnections: 2 },
      only: ['survives-burst', 'survives-slow-body'],
    },
    'without some checks': {
      only: ['handles-late-duplicate-once', 'refuses-get', 'refuses-unsigned', 'refuses-wrong-secret'],
      skip: ['handles-late-duplicate-once', 'refuses-unsigned'],
    },
  }),
)('announces as many requests as it sends %s', async (_, change) => {
  const { sent, announced } = await count(change)
  expect(announced).toBe(sum(sent))
})
