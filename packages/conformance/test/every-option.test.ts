import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ExamineEndpointOptions, examineEndpoint } from '@wabakit/conformance'
import { createEmptyProfile, type FieldKind, type MeasuredProfile } from '@wabakit/contract/profile'
import { onTestFinished } from 'vitest'
import { testOptions } from '../../../tools/option-cases.ts'
import { previousSecret, secret, startEndpoint } from './endpoint.ts'

/** Starts an endpoint that accepts everything. */
const listen = async () => {
  const received: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    received.push(request.headers)
    request.resume().on('end', () => response.end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received }
}

/** Examines an endpoint that accepts everything, at first with one check that such an endpoint passes. */
const examine = async (options: Partial<ExamineEndpointOptions>) => {
  const { url, received } = await listen()
  const report = await examineEndpoint({ url, secret, only: ['accepts-genuine'], ...options })
  const verdicts = Object.fromEntries(report.checks.map(({ id, verdict }) => [id, verdict]))
  return { report, received, verdicts }
}

/** Returns the plan of a run, which ends before its first request. */
const plan = async (options: Partial<ExamineEndpointOptions>) => {
  let checks: number | undefined
  const onStart = (started: { readonly checks: number }): never => {
    checks = started.checks
    throw new Error('It was only planned.')
  }
  const url = 'http://127.0.0.1:1/'
  await examineEndpoint({ url, secret, ...options, onStart }).catch(() => {})
  return checks
}

const times = { firstSeenAt: '2026-01-05T10:00:00.000Z', lastSeenAt: '2026-01-05T10:00:00.000Z' }

/** A profile whose CALL_ENDED has a duration of this kind. */
const endedInSeconds = (value: FieldKind): MeasuredProfile => ({
  ...createEmptyProfile(),
  events: {
    'CALL_ENDED/PSTN': { durationInSeconds: { values: [{ value, source: 'capture', count: 1, ...times }] } },
  },
})

const rotation = 'accepts-either-secret-in-rotation'
const seen: unknown[] = []
const count = async (options: Partial<ExamineEndpointOptions>): Promise<boolean> => {
  seen.length = 0
  await examine(options).catch(() => {})
  return seen.length > 0
}

testOptions<ExamineEndpointOptions>('examineEndpoint()', {
  url: {
    see: async (options) =>
      examineEndpoint({ secret, only: ['accepts-genuine'], ...options } as ExamineEndpointOptions).then(
        ({ verdict }) => verdict,
        ({ name }) => name,
      ),
    cases: [
      [{}, 'ExaminationUsageError'],
      [{ url: 'http://127.0.0.1:1/' }, 'TargetUnreachableError'],
    ],
  },
  secret: {
    see: async (options) => {
      const { received } = await examine({ secret: undefined, headers: { 'x-token': 't0ken' }, ...options })
      return typeof received[0]?.['webhook-signature']
    },
    cases: [
      [{}, 'undefined'],
      [{ secret }, 'string'],
    ],
  },
  previousSecret: {
    see: async (options) => (await examine({ only: [rotation], ...options })).verdicts[rotation],
    cases: [
      [{}, 'skipped'],
      [{ previousSecret }, 'pass'],
    ],
  },
  headers: {
    see: async (options) => (await examine(options)).received[0]?.['x-token'],
    cases: [
      [{}, undefined],
      [{ headers: { 'x-token': 't0ken' } }, 't0ken'],
    ],
  },
  effects: {
    see: count,
    cases: [
      [{}, false],
      [
        {
          effects: () => {
            seen.push('asked')
            throw new Error('It was only asked.')
          },
        },
        true,
      ],
    ],
  },
  effectsAreComplete: {
    see: async (options) => {
      await using endpoint = await startEndpoint(({ effects }) => ({
        handle: (event) => {
          effects.push(`${event.event} ${event.callId} ${JSON.stringify(event.summary ?? '').slice(0, 200)}`)
        },
      }))
      const only = ['keeps-long-texts']
      const { url, effects } = endpoint
      const report = await examineEndpoint({
        url,
        secret,
        effects: () => effects.join('\n'),
        only,
        ...options,
      })
      return report.checks.find(({ id }) => id === 'keeps-long-texts')?.verdict
    },
    cases: [
      [{}, 'inconclusive'],
      [{ effectsAreComplete: true }, 'fail'],
    ],
  },
  profile: {
    see: async (options) => {
      const received: string[] = []
      const handle = (event: Readonly<Record<string, unknown>>): void => {
        if (event.event === 'CALL_ENDED') received.push(typeof event.durationInSeconds)
      }
      await using endpoint = await startEndpoint(() => ({ handle }))
      await examineEndpoint({ url: endpoint.url, secret, only: ['accepts-every-event'], ...options })
      return new Set(received).size
    },
    cases: [
      [{}, 2],
      [{ profile: endedInSeconds('string') }, 3],
    ],
  },
  only: {
    see: async (options) => ((await plan(options)) ?? 0) < 5,
    cases: [
      [{}, false],
      [{ only: ['refuses-get'] }, true],
    ],
  },
  skip: {
    see: async (options) => {
      const only = ['refuses-get', 'refuses-unsigned']
      return (await examine({ only, ...options })).verdicts['refuses-get'] ?? 'skipped'
    },
    cases: [
      [{}, 'fail'],
      [{ skip: ['refuses-get'] }, 'skipped'],
    ],
  },
  timeoutMs: {
    see: async (options) => {
      const { report } = await examine(options)
      return report.checks[0]?.observed.includes('raise --timeout')
    },
    cases: [
      [{}, false],
      [{ timeoutMs: 0 }, true],
    ],
  },
  seed: {
    see: async (options) => (await examine(options)).report.seed === 42,
    cases: [
      [{}, false],
      [{ seed: 42 }, true],
    ],
  },
  allowPublicTarget: {
    see: async (options) => (await plan({ url: 'https://203.0.113.7/', ...options })) !== undefined,
    cases: [
      [{}, false],
      [{ allowPublicTarget: true }, true],
    ],
  },
  limits: {
    see: async (options) => {
      const only = ['survives-burst']
      return (await examine({ only, ...options })).received.length < 30
    },
    cases: [
      [{}, false],
      [{ limits: { burst: 5 } }, true],
    ],
  },
  now: {
    see: async (options) => {
      const { received } = await examine(options)
      return new Date(Number(received[0]?.['webhook-timestamp']) * 1_000).getUTCFullYear()
    },
    cases: [
      [{}, new Date().getUTCFullYear()],
      [{ now: () => Date.UTC(2010, 5) }, 2010],
    ],
  },
  onStart: {
    see: count,
    cases: [
      [{}, false],
      [{ onStart: (started) => void seen.push(started) }, true],
    ],
  },
  onCheck: {
    see: count,
    cases: [
      [{}, false],
      [{ onCheck: (id) => void seen.push(id) }, true],
    ],
  },
  onResult: {
    see: count,
    cases: [
      [{}, false],
      [{ onResult: (result) => void seen.push(result) }, true],
    ],
  },
  onExchange: {
    see: count,
    cases: [
      [{}, false],
      [{ onExchange: (id) => void seen.push(id) }, true],
    ],
  },
})
