import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import { promisify } from 'node:util'
import { createMock } from '@wabakit/mock'
import { startServer } from '@wabakit/server'
import { expect, onTestFinished, test } from 'vitest'
import {
  ExaminationUsageError,
  examineServer,
  formatReport,
  reportFormats,
  type ServerExamination,
  TargetUnreachableError,
} from '../../src/index.ts'
import { createSeededRandom } from '../../src/seeded-random.ts'
import { shrink } from '../../src/server/random/shrink.ts'
import { createSteps } from '../../src/server/random/step.ts'
import { createBrokenServers } from './broken-servers.ts'
import { secret, startReference } from './reference.ts'

const quick = { seed: 3, minutes: 0, retryTimeoutMs: 500, quietMs: 50 }

/** Starts a server that responds to every request in the same way. */
const startConstant = async (status: number, body: string): Promise<string> => {
  return startOn(
    createServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    }),
  )
}

/** Starts a server until the test has finished. Returns its URL. */
const startOn = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

test('an unreachable server results in an error, not a report', async () => {
  const target = { ...quick, baseUrl: 'http://127.0.0.1:1', apiKey: 'wk', wabaNumber: '+1' }
  await expect(examineServer(target)).rejects.toThrow(TargetUnreachableError)
  await expect(examineServer({ ...target, wabakitControl: 'http://127.0.0.1:1' })).rejects.toThrow(
    TargetUnreachableError,
  )
})

test('an organization that cannot be prepared is removed', async () => {
  const requests: string[] = []
  const server = createServer(({ method, url = '' }, response) => {
    requests.push(`${method} ${url.replace(/acceptance-\w+/, '…').replace('/_wabakit', '')}`)
    response.writeHead(url.endsWith('/subscriptions') ? 400 : 200).end('{}')
  })
  const baseUrl = await startOn(server)
  await expect(examineServer({ ...quick, baseUrl, wabakitControl: baseUrl })).rejects.toThrow(
    TargetUnreachableError,
  )
  expect(requests).toEqual([
    'POST /organizations',
    'POST /organizations/…/subscriptions',
    'DELETE /organizations/…',
  ])
})

test('checks without their options are skipped and name the options', async () => {
  const baseUrl = await startConstant(401, '{}')
  const report = await examineServer({ ...quick, baseUrl })
  const find = (id: string) => report.checks.find((check) => check.id === id)

  expect(report.verdict).toBe('inconclusive')
  expect(report.counts.skipped).toBe(report.checks.length)
  expect(find('create.subject.empty-is-400')?.observed).toBe('needs --api-key and --waba-number')
  expect(find('events.call.order')?.observed).toBe(
    'needs --api-key and --waba-number and --listen and --play',
  )
  expect(find('create.other-key.is-403')?.observed).toContain('--other-key')
  expect(find('create.disabled-number.is-422')?.observed).toContain('--disabled-number')
  expect(find('webhooks.signature.is-valid')?.observed).toContain('--secret')
  expect(find('random.sequences.follow-the-specification')?.observed).toContain('--minutes')
})

test('only the selected checks run, after the positive control', async () => {
  const { examination, stop } = await startReference()
  onTestFinished(stop)
  let announced = 0
  const { checks, verdict } = await examineServer({
    ...examination,
    minutes: 0,
    onStart: (run) => {
      announced = run.checks
    },
    only: ['create.subject', 'fetch.call-id.empty-is-400'],
  })
  const ids = checks.map(({ id }) => id)

  expect(verdict).toBe('pass')
  expect(announced).toBe(checks.length)
  expect([ids[0], ids.at(-1)]).toEqual(['create.valid.is-200', 'fetch.call-id.empty-is-400'])
  expect(ids.slice(1, -1).every((id) => id.startsWith('create.subject.'))).toBe(true)
  expect(ids.length).toBeGreaterThan(10)
  await expect(examineServer({ ...examination, only: ['create.sub'] })).rejects.toThrow(ExaminationUsageError)
})

test('a server that refuses everything passes no check for the create endpoint', async () => {
  const baseUrl = await startConstant(400, '{"statusCode":400}')
  const report = await examineServer({ ...quick, baseUrl, apiKey: 'wk', wabaNumber: '+1' })
  const verdicts = report.checks.filter(({ group }) => group === 'create').map(({ verdict }) => verdict)

  expect(report.verdict).toBe('fail')
  expect(verdicts[0]).toBe('fail')
  expect(verdicts).not.toContain('pass')
})

test('a rule about refused requests has no result if the server refuses none', async () => {
  const baseUrl = await startConstant(200, '{"success":true,"groupId":"g"}')
  const ids = ['create.group-id.is-free-after-a-refusal', 'create.repeat.refused-changes-nothing']
  const { checks } = await examineServer({ ...quick, baseUrl, apiKey: 'wk', wabaNumber: '+1', only: ids })
  const verdicts = checks.map(({ id, verdict }) => [id, verdict])
  expect(verdicts).toEqual(expect.arrayContaining(ids.map((id) => [id, 'inconclusive'])))
})

test('a server that sends no webhook passes no rule about webhooks, except that some must not be sent', async () => {
  const baseUrl = await startConstant(200, '{"success":true,"groupId":"g"}')
  const { checks } = await examineServer({
    ...quick,
    // Waits for webhooks briefly, and for responses as long as a busy machine needs.
    timeoutMs: 300,
    fetch: (url, { signal: _, ...init }) => fetch(url, init),
    baseUrl,
    apiKey: 'wk',
    wabaNumber: '+1',
    secret,
    listen: '127.0.0.1:0',
    play: async ({ outcome, channel }) => `${outcome}-${channel}`,
    only: ['events', 'webhooks'],
  })
  const passed = checks.filter(({ id, verdict }) => /^(?:events|webhooks)\./.test(id) && verdict === 'pass')
  expect(passed.map(({ id }) => id)).toEqual([
    'events.summary.none-when-missed',
    'events.summary.none-when-rejected',
    'events.summary.none-when-no-recording',
    'events.summary.none-when-nothing-said',
  ])
})

test('a decision that the server does not share results in advice that names the decision', async () => {
  const [broken] = createBrokenServers().filter(({ caughtBy }) => caughtBy === 'create.key.bearer-is-200')
  const { examination, stop } = await startReference(broken)
  onTestFinished(stop)
  const report = await examineServer({ ...examination, minutes: 0 })

  expect(report.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  expect(report.verdict).toBe('pass')
  expect(report.checks.find(({ id }) => id === 'create.key.bearer-is-200')).toMatchObject({
    verdict: 'advice',
    decision: true,
    clause: 'decision 0005 (API key header); the specification is silent',
  })
})

const findBrokenServer = (name: string) => {
  const broken = createBrokenServers().find((each) => each.name === name)
  if (broken === undefined) throw new Error(`There is no broken server that ${name}.`)
  return broken
}

test('no report contains a key or the secret, in any format', async () => {
  const broken = findBrokenServer('responds 401 to a missing permission')
  const { examination, stop } = await startReference(broken)
  onTestFinished(stop)
  const report = await examineServer({ ...examination, minutes: 0 })

  expect(report.verdict).toBe('fail')
  for (const format of reportFormats) {
    const text = formatReport(report, format)
    for (const hidden of [examination.apiKey, examination.otherKey, secret])
      expect(text).not.toContain(hidden)
  }
})

test('the command of a check repeats its request', async () => {
  const apiKey = 'wk_test_key_0123456789'
  const wabaNumber = '+15550100001'
  const organizations = [{ id: 'acme', integrations: [{ wabaNumber }], apiKeys: [{ key: apiKey }] }]
  const config = { port: 0, database: ':memory:', logLevel: 'silent', rateLimitPerAddress: 0 } as const
  const server = await startServer({ ...config, organizations })
  onTestFinished(server.close)
  const { checks } = await examineServer({ ...quick, baseUrl: server.url, apiKey, wabaNumber })

  for (const [id, status] of Object.entries({
    'create.subject.129-emoji-is-400': 400,
    'create.body.too-large-is-413': 413,
    'create.key.missing-is-401': 401,
    'create.key.empty-is-401': 401,
    'create.subject.nul-is-400': 400,
    'create.key.bearer-is-200': 200,
    'fetch.call-id.unknown-is-404': 404,
  })) {
    const command = checks.find((check) => check.id === id)?.reproduce ?? ''
    const env = { ...process.env, WABAKIT_API_KEY: apiKey }
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env })
    expect(`${id} ${stdout.match(/^HTTP\/1\.1 (?!100)(\d+)/m)?.[1]}`).toBe(`${id} ${status}`)
  }
})

test('a failed random sequence is shown with at most five requests', async () => {
  const broken = findBrokenServer('fails when an id was refused before')
  const { examination, stop } = await startReference(broken)
  onTestFinished(stop)
  const report = await examineServer({ ...examination, minutes: 0.1 })
  const check = report.checks.find(({ id }) => id === 'random.sequences.follow-the-specification')

  expect(check).toMatchObject({ verdict: 'fail' })
  expect(check?.observed).toContain('expected 200, got 500')
  const requests = check?.reproduce?.match(/^curl /gm) ?? []
  expect(requests.length).toBeGreaterThan(1)
  expect(requests.length).toBeLessThanOrEqual(5)
})

test('a sequence is shrunk to the steps needed for the failure', async () => {
  const needs = (steps: readonly number[]): Promise<boolean> =>
    Promise.resolve([3, 5, 8].every((step) => steps.includes(step)) && steps.at(-1) === 8)

  expect(await shrink([1, 2, 3, 4, 5, 6, 7, 8], needs)).toEqual([3, 5, 8])
  expect(await shrink([1, 2, 8], (steps) => Promise.resolve(steps.at(-1) === 8))).toEqual([8])
})

test('the same seed results in the same sequences', () => {
  const lab = { has: new Set(['--play', '--other-key'] as const), isLive: false }
  const create = (seed: number) => {
    const random = createSeededRandom(seed)
    return Array.from({ length: 20 }, () => createSteps(random, lab))
  }
  expect(create(5)).toEqual(create(5))
  expect(create(5)).not.toEqual(create(6))
})

test('a run that has used up the limit of its key still sees whether wrong keys do', async () => {
  await using mock = await createMock({
    port: 0,
    clock: 'machine',
    rateLimit: { key: { requests: 1, perMs: 800 }, ip: { requests: 60, perMs: 60_000 } },
  })
  const { apiKey, wabaNumber } = mock
  const only = ['create.subject.empty-is-400', 'limits.429.spares-a-valid-key']
  const statuses: number[] = []
  /** Repeats the request after the positive control until the limit is used up, however slow the machine is. */
  const useUp: NonNullable<ServerExamination['fetch']> = async (url, init) => {
    const response = await fetch(url, init)
    statuses.push(response.status)
    const isUsedUp = !statuses.includes(200) || response.status === 200 || statuses.includes(429)
    return isUsedUp ? response : useUp(url, init)
  }
  const report = await examineServer({ ...quick, only, baseUrl: mock.url, apiKey, wabaNumber, fetch: useUp })
  expect(statuses).toContain(429)
  expect(report.checks.find(({ id }) => id === only[1])).toMatchObject({ verdict: 'pass' })
})

test('checks without the required function are inconclusive', async () => {
  const { examination, stop } = await startReference()
  onTestFinished(stop)
  const { moveParticipant } = examination.simulate ?? {}
  const { checks } = await examineServer({
    ...examination,
    minutes: 0,
    simulate: { moveParticipant },
    only: [
      'fetch.manual',
      'events.summary.none-when-regenerated',
      'events.summary.none-for-a-silent-bot-test',
    ],
  })
  expect(checks.slice(1).map(({ verdict, observed }) => `${verdict}: ${observed}`)).toEqual([
    'inconclusive: the run cannot generate a summary again',
    'inconclusive: the run cannot make a bot test call',
    'inconclusive: the run cannot make a call without an automatic summary',
  ])
})

test('a command makes calls: it gets the outcome and channel, and prints the call id', async () => {
  const baseUrl = await startConstant(200, '{"success":true,"groupId":"g"}')
  const target = { ...quick, baseUrl, apiKey: 'wk', wabaNumber: '+1' }
  const find = async (play: string, id: string) =>
    (await examineServer({ ...target, play })).checks.find((check) => check.id === id)

  const missed = await find('echo "calling"; echo "{outcome}-{channel}"', 'fetch.missed.is-422')
  expect(missed?.reproduce).toContain('callId=missed-PSTN')
  const failed = await find('echo "no such command" >&2; exit 3', 'fetch.missed.is-422')
  expect(failed).toMatchObject({
    verdict: 'inconclusive',
    observed: 'The play command failed: no such command',
  })
})

test('generated ids that are the time alone are inconclusive, although none is used twice', async () => {
  let last = Date.now()
  const ids = createServer((_request, response) => {
    last += 1
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ success: true, groupId: `group-${last}` }))
  })
  const target = { ...quick, baseUrl: await startOn(ids), apiKey: 'wk', wabaNumber: '+1' }
  const id = 'create.group-id.generated-ids-stay-different'
  const { checks } = await examineServer({ ...target, only: [id] })
  expect(checks.find((check) => check.id === id)).toMatchObject({
    verdict: 'inconclusive',
    observed: expect.stringContaining('the time alone'),
  })
})
