import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { examineServer, type ServerExamination } from '@wabakit/conformance'
import { onTestFinished } from 'vitest'
import { testOptions } from '../../../../tools/option-cases.ts'
import { secret } from './reference.ts'

type Options = Partial<ServerExamination>

const control = 'create.valid.is-200'

/** Starts a service that creates every group, and publishes GROUP_CREATED, a second time if the first attempt failed. */
const listen = async ({ delayMs = 0 } = {}) => {
  const received: IncomingHttpHeaders[] = []
  const webhooks = { url: '' }
  const publish = async (groupId: string): Promise<void> => {
    const body = JSON.stringify({ event: 'GROUP_CREATED', groupId })
    for (const pauseMs of [0, 5_000]) {
      await sleep(pauseMs)
      const sent = await fetch(`${webhooks.url}/whatsapp`, { method: 'POST', body }).catch(() => undefined)
      if (sent?.ok) return
    }
  }
  const server = createServer(async (request, response) => {
    received.push(request.headers)
    const groupId = /"groupId":"([^"]+)"/.exec(await text(request))?.[1] ?? 'g-1'
    await sleep(delayMs)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ success: true, groupId }))
    if (webhooks.url !== '') await publish(groupId)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, webhooks }
}

type Service = Awaited<ReturnType<typeof listen>>

/** Examines a service that creates every group, at first with no check but the positive control. */
const examine = async (options: Options, given?: Service) => {
  const service = given ?? (await listen())
  const report = await examineServer({
    baseUrl: service.url,
    apiKey: 'wk_own_0123456789',
    wabaNumber: '+15550100001',
    minutes: 0,
    only: [control],
    ...options,
  })
  const verdicts = Object.fromEntries(report.checks.map(({ id, verdict }) => [id, verdict]))
  return { report, verdicts, received: service.received }
}

/** Shows the verdict of a check. */
const seeVerdict = (id: string, common: Options = {}) => ({
  see: async (options: Options) => (await examine({ only: [id], ...common, ...options })).verdicts[id],
})

/** Shows the verdict of a run, or the name of its error. */
const seeEnd = async (options: Options, service?: Service) =>
  examine(options, service).then(
    ({ report }) => report.verdict,
    ({ name }) => name,
  )

/** Waits for webhooks briefly, and for responses as long as a busy machine needs. */
const brief: Options = {
  listen: '127.0.0.1:0',
  timeoutMs: 300,
  retryTimeoutMs: 300,
  quietMs: 0,
  fetch: (url, { signal: _, ...init }) => fetch(url, init),
}
const seen: unknown[] = []
const isCalled = async (options: Options): Promise<boolean> => {
  seen.length = 0
  await examine({ listen: '127.0.0.1:0', ...options })
  return seen.length > 0
}
testOptions<ServerExamination>('examineServer()', {
  baseUrl: {
    see: (options) => seeEnd(options),
    cases: [
      [{}, 'pass'],
      [{ baseUrl: 'http://127.0.0.1:1' }, 'TargetUnreachableError'],
    ],
  },
  apiKey: {
    ...seeVerdict(control, { apiKey: undefined }),
    cases: [
      [{}, 'skipped'],
      [{ apiKey: 'wk_own_0123456789' }, 'pass'],
    ],
  },
  wabaNumber: {
    ...seeVerdict(control, { wabaNumber: undefined }),
    cases: [
      [{}, 'skipped'],
      [{ wabaNumber: '+15550100001' }, 'pass'],
    ],
  },
  otherKey: {
    ...seeVerdict('create.other-key.is-403'),
    cases: [
      [{}, 'skipped'],
      [{ otherKey: 'wk_other_0123456789' }, 'fail'],
    ],
  },
  foreignKey: {
    ...seeVerdict('create.foreign-key.is-refused'),
    cases: [
      [{}, 'skipped'],
      [{ foreignKey: 'wk_foreign_0123456789' }, 'fail'],
    ],
  },
  disabledNumber: {
    ...seeVerdict('create.disabled-number.is-422'),
    cases: [
      [{}, 'skipped'],
      [{ disabledNumber: '+15550100009' }, 'fail'],
    ],
  },
  profile: {
    see: async (options) => 'x-public-api-key' in ((await examine(options)).received.at(-1) ?? {}),
    cases: [
      [{}, false],
      [{ profile: 'live' }, true],
    ],
  },
  authHeader: {
    see: async (options) => 'x-own' in ((await examine(options)).received.at(-1) ?? {}),
    cases: [
      [{}, false],
      [{ authHeader: 'X-Own' }, true],
    ],
  },
  listen: {
    ...seeVerdict('webhooks.event.is-named', { ...brief, listen: undefined }),
    cases: [
      [{}, 'skipped'],
      [{ listen: '127.0.0.1:0' }, 'inconclusive'],
    ],
  },
  onListening: {
    see: isCalled,
    cases: [
      [{}, false],
      [{ onListening: (url) => void seen.push(url) }, true],
    ],
  },
  secret: {
    ...seeVerdict('webhooks.signature.is-valid', brief),
    cases: [
      [{}, 'skipped'],
      [{ secret }, 'inconclusive'],
    ],
  },
  play: {
    ...seeVerdict('fetch.summary.is-200'),
    cases: [
      [{}, 'skipped'],
      [{ play: async () => 'call-1' }, 'pass'],
      [{ play: 'echo call-1' }, 'pass'],
    ],
  },
  simulate: {
    ...seeVerdict('events.participants.fields', brief),
    cases: [
      [{}, 'skipped'],
      [{ simulate: { moveParticipant: async () => {} } }, 'inconclusive'],
    ],
  },
  wabakitControl: {
    see: (options) => seeEnd(options),
    cases: [
      [{}, 'pass'],
      [{ wabakitControl: 'http://127.0.0.1:1' }, 'TargetUnreachableError'],
    ],
  },
  controlToken: {
    see: async (options) => {
      const service = await listen()
      await seeEnd({ wabakitControl: service.url, ...options }, service)
      return service.received[0]?.authorization
    },
    cases: [
      [{}, undefined],
      [{ controlToken: 't0ken' }, 'Bearer t0ken'],
    ],
  },
  only: {
    see: async (options) => {
      let planned = 0
      const onStart = ({ checks }: { readonly checks: number }): never => {
        planned = checks
        throw new Error('It was only planned.')
      }
      await examine({ only: undefined, ...options, onStart }).catch(() => {})
      return planned > 200 ? 'all' : planned
    },
    cases: [
      [{}, 'all'],
      [{ only: [control] }, 1],
    ],
  },
  strict: {
    see: async (options) => (await examine({ only: ['create.body.text-is-415'], ...options })).report.verdict,
    cases: [
      [{}, 'pass'],
      [{ strict: true }, 'fail'],
    ],
  },
  seed: {
    see: async (options) => (await examine(options)).report.seed === 42,
    cases: [
      [{}, false],
      [{ seed: 42 }, true],
    ],
  },
  minutes: {
    ...seeVerdict('random.sequences.follow-the-specification', { minutes: undefined }),
    cases: [
      [{}, 'fail'],
      [{ minutes: 0 }, 'skipped'],
    ],
  },
  timeoutMs: {
    see: async (options) => seeEnd(options, await listen({ delayMs: 300 })),
    cases: [
      [{}, 'pass'],
      [{ timeoutMs: 50 }, 'TargetUnreachableError'],
    ],
  },
  retryTimeoutMs: {
    see: async (options) => {
      const service = await listen()
      const id = 'webhooks.retry.follows-a-failure'
      const onListening = (url: string): void => {
        service.webhooks.url = url
      }
      const common = { listen: '127.0.0.1:0', onListening, quietMs: 0, only: [id] }
      return (await examine({ ...common, ...options }, service)).verdicts[id]
    },
    cases: [
      [{}, 'pass'],
      [{ retryTimeoutMs: 10 }, 'advice'],
    ],
  },
  quietMs: {
    // A check has four times the other two limits. Only this wait can be longer than that.
    see: async (options) => {
      const id = 'webhooks.event.is-named'
      const limits = { timeoutMs: 750, retryTimeoutMs: 750, quietMs: undefined }
      const { report } = await examine({ ...brief, ...limits, only: [id], ...options })
      return report.checks.find((check) => check.id === id)?.observed
    },
    cases: [
      [{}, 'no webhook arrived that the rule is about'],
      [{ quietMs: 8_000 }, 'no result within 6000 ms; raise the time limit'],
    ],
  },
  onStart: {
    see: isCalled,
    cases: [
      [{}, false],
      [{ onStart: ({ checks }) => void seen.push(checks) }, true],
    ],
  },
  onResult: {
    see: isCalled,
    cases: [
      [{}, false],
      [{ onResult: ({ id }) => void seen.push(id) }, true],
    ],
  },
  fetch: {
    see: isCalled,
    cases: [
      [{}, false],
      [
        {
          fetch: (url, init) => {
            seen.push(url)
            return fetch(url, init)
          },
        },
        true,
      ],
    ],
  },
})
