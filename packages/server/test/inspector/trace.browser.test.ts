import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify, stripVTControlCharacters } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { createMock, type Mock, type MockOptions } from '@wabakit/mock'
import { createReceiver, generateSecret, standardWebhooks, urlToken } from '@wabakit/webhooks'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { folder as cliFolder, startWabakit, wabakit } from '../cli/wabakit.ts'
import { requireCommand } from '../programs.ts'
import { hasChromium, openPage } from './browser.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wabakit-traces-'))
  vi.stubEnv('WABAKIT_TRACE_DIR', folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

const start = async (options: MockOptions = {}): Promise<Mock> => {
  const mock = await createMock({ seed: 7, ...options })
  onTestFinished(mock.close)
  return mock
}

/** Returns the message of a wait that fails, and the file that it names. */
const fail = async (wait: Promise<unknown>) => {
  const message = await wait.then(
    () => 'the wait did not fail',
    (error: Error) => error.message,
  )
  return { message, path: /Open (\S+\.html) to see what happened\.$/.exec(message)?.[1] ?? message }
}

/** Waits for the first attempt, or for that of an event: it follows the call, on a busy machine much later. */
const untilAttempted = (mock: Mock, name?: string) =>
  expect
    .poll(() => mock.deliveries.map(({ event }) => event?.event))
    .toContainEqual(name ?? expect.anything())

const readTrace = (path: string): string => {
  const [, trace = ''] = /id="trace">([^<]+)</.exec(readFileSync(path, 'utf8')) ?? []
  return gunzipSync(Buffer.from(trace, 'base64')).toString()
}

const failHandler = async () => {
  const mock = await start()
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [mock.secret] }) })
  receiver.onError(() => {})
  receiver.on('CALL_ENDED', () => {
    throw new Error('The database is full.')
  })
  mock.deliverTo(receiver)
  await mock.simulateCall({ summary: false })
  await untilAttempted(mock, 'CALL_ENDED')
  return fail(mock.waitForDelivery('CALL_ENDED', {}, { timeoutMs: 0 }))
}

const failToken = async () => {
  const mock = await start({ webhookAuth: { urlToken: 'the-token-of-the-mock' } })
  const receiver = createReceiver({ verify: urlToken({ token: 'another-token-of-the-app' }) })
  receiver.onError(() => {})
  mock.deliverTo(receiver)
  await mock.simulateCall({ summary: false })
  await untilAttempted(mock)
  return fail(mock.waitForDelivery('CALL_ENDED', {}, { timeoutMs: 0 }))
}

const failSummary = async () => {
  const mock = await start()
  mock.deliverTo(() => new Response())
  await mock.simulateCall({ outcome: 'nothing_said' })
  return fail(mock.waitForDelivery('CALL_AI_SUMMARY', {}, { timeoutMs: 0 }))
}

const causes = [
  {
    cause: 'a handler that throws',
    run: failHandler,
    shown: ['A handler of the receiver throws.', 'waitForDelivery CALL_ENDED'],
  },
  { cause: 'a wrong token', run: failToken, shown: ['compares the parameter token of the URL'] },
  { cause: 'a summary that is never due', run: failSummary, shown: ['No summary: nothing was said.'] },
] as const

describe.skipIf(!hasChromium)('the trace of a failed test', () => {
  const open = (path: string) => openPage({ url: pathToFileURL(path).href })

  test.each(causes)('shows $cause in its first view, without a network', async ({ cause, run, shown }) => {
    const { path } = await run()
    const { page, problems, picture } = await open(path)
    const failure = page.getByRole('region', { name: 'What failed' })
    for (const text of shown) await failure.getByText(text).first().waitFor()
    await picture(`trace-${cause.replaceAll(' ', '-')}`)
    const policy = await page.locator('meta[http-equiv=content-security-policy]').getAttribute('content')
    expect(policy).toContain("default-src 'none'")
    expect(problems).toEqual([])
  })

  test('shows what the test asked, what was sent, what came back, and what is still due', async () => {
    const mock = await start()
    let count = 0
    await mock.subscribe({ receiver: () => new Response('Too bad.', { status: count++ === 0 ? 500 : 204 }) })
    await mock.simulateCall({ summary: { after: '30s' } })
    await untilAttempted(mock)
    const { path } = await fail(mock.waitForDelivery('CALL_AI_SUMMARY', {}, { timeoutMs: 0 }))
    const { page, problems } = await open(path)
    const log = page.getByRole('region', { name: 'Test log' })
    await log.getByText('simulateCall({"summary":{"after":"30s"}})').waitFor()
    await log.getByText('attempt 1: status 500: Too bad.').waitFor()
    await page.getByRole('region', { name: 'Due later' }).getByText('the next delivery attempt').waitFor()
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.locator('.row', { hasText: '500' }).first().click()
    await page.getByRole('tab', { name: 'Request' }).click()
    await page.getByText('Exactly what was sent.').waitFor()
    // Read only: nothing is offered that a file cannot do.
    for (const name of ['Simulate', 'Attempt now', 'Resend', 'More actions', 'Live'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    for (const view of ['Calls', 'Events', 'Subscriptions', 'Groups', 'API requests', 'API keys']) {
      await page.getByRole('link', { name: view, exact: true }).click()
      await page.getByRole('heading', { name: view }).first().waitFor()
    }
    expect(problems).toEqual([])
  })

  test('opens what a call went through, with the summary that is due', async () => {
    const mock = await start()
    mock.deliverTo(() => new Response())
    const { callId } = await mock.simulateCall({ summary: { after: '30s' } })
    const { path } = await fail(mock.waitForEvent('CALL_AI_SUMMARY', {}, { timeoutMs: 0 }))
    const { page, problems } = await openPage({ url: `${pathToFileURL(path)}#calls?id=${callId}` })
    await page.getByText('The summary is due at').first().waitFor()
    await page.getByRole('region', { name: 'Timeline' }).waitFor()
    expect(problems).toEqual([])
  })

  test('is at most 2 MB large for a thousand calls', async () => {
    const mock = await start()
    mock.deliverTo(() => new Response('ok'))
    const { path: emptyPath } = await fail(mock.waitForEvent('CALL_MISSED', {}, { timeoutMs: 0 }))
    for (let calls = 0; calls < 200; calls++) await mock.simulateCall({ summary: { after: '0s' } })
    await expect.poll(() => mock.deliveries.length).toBe(800)
    const { path } = await fail(mock.waitForDelivery('CALL_MISSED', {}, { timeoutMs: 0 }))
    const emptySize = statSync(emptyPath).size
    expect(emptySize + 5 * (statSync(path).size - emptySize)).toBeLessThan(2_000_000)
    const { page, problems } = await open(path)
    await page.getByRole('button', { name: /Show [\d,]+ earlier entries/ }).waitFor()
    expect(problems).toEqual([])
  })
})

test('a trace contains no secret, key or token, not even one that an endpoint repeats', async () => {
  const mock = await start({ webhookAuth: { header: 'x-hook-token', value: 'token-of-the-webhooks' } })
  const own = generateSecret()
  const url = 'https://receiver.invalid/webhooks?token=token-of-the-url'
  const secrets = [
    own,
    mock.secret,
    mock.apiKey,
    'token-of-the-webhooks',
    'token-of-the-url',
    'static-token-value',
  ]
  mock.deliverTo(() => new Response(`You sent ${JSON.stringify(secrets)}`, { status: 401 }), { url })
  await mock.subscribe({
    receiver: () => new Response(secrets.join(), { status: 500 }),
    secret: own,
    headers: { 'x-static': 'static-token-value' },
  })
  await mock.server.subscriptions.create(mock.organizationId, {
    channel: 'PSTN',
    number: mock.pstnNumber,
    url: 'http://127.0.0.1:9/webhooks?token=token-of-the-url',
  })
  const wrong = mock.client({ apiKey: 'wk_of_another_service' })
  await wrong.groups.create({ wabaNumber: mock.wabaNumber, subject: 'wk_of_another_service' }).catch(() => {})
  await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: `Order ${mock.apiKey}` })
  await mock.simulateCall({ channel: 'PSTN' })
  const listStatuses = () => mock.deliveries.map(({ status }) => status)
  await expect.poll(listStatuses).toEqual(expect.arrayContaining([401, 500]))
  const { path } = await fail(mock.waitForDelivery('CALL_ENDED', {}, { timeoutMs: 0 }))
  const trace = readTrace(path)
  expect(trace).toContain('You sent')
  for (const secret of [...secrets, 'wk_of_another_service']) {
    expect(trace).not.toContain(secret)
    expect(trace).not.toContain(secret.slice(-16))
  }
  expect(trace).not.toContain('whsec_')
  expect(trace).not.toContain(createHash('sha256').update(mock.apiKey).digest('hex'))
  const withoutTrace = readFileSync(path, 'utf8').replace(/id="trace">[^<]+</, '')
  for (const secret of secrets) expect(withoutTrace).not.toContain(secret)
})

test('a test that passes writes nothing, and neither does one that fails without the folder', async () => {
  const mock = await start()
  mock.deliverTo(() => new Response())
  await mock.simulateCall()
  await mock.waitForDelivery('CALL_ENDED')
  await mock.expectNoEvent('CALL_MISSED')
  vi.stubEnv('WABAKIT_TRACE_DIR', '')
  const { message } = await fail(mock.waitForEvent('CALL_MISSED', {}, { timeoutMs: 0 }))
  expect(message).not.toContain('Open')
  expect(readdirSync(folder)).toEqual([])
})

test('every wait that fails writes a trace, in process and over HTTP', async () => {
  const mock = await start({ port: 0 })
  await mock.simulateCall()
  const { path } = await fail(mock.expectNoEvent('CALL_ENDED'))
  expect(readTrace(path)).toContain('expectNoEvent CALL_ENDED')
  const response = await fetch(`${mock.url}/_wabakit/organizations/${mock.organizationId}/waits`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ for: 'delivery', name: 'CALL_MISSED', timeoutMs: 0 }),
  })
  expect((await response.json()).message).toMatch(
    /Open \S+waitForDelivery-CALL_MISSED\S+\.html to see what happened/,
  )
  expect(readdirSync(folder)).toHaveLength(2)
})

test.skipIf(!requireCommand('curl', '--version'))(
  'a test in another language leaves a trace with exec --mock and with wabakit mock',
  async () => {
    const options = { env: { WABAKIT_TRACE_DIR: 'traces' } }
    const wait = (url: string, organization: string): string[] => [
      ...['curl', '--silent', '--json', '{"for":"event","name":"CALL_MISSED","timeoutMs":0}'],
      `${url}/_wabakit/organizations/${organization}/waits`,
    ]
    const script = `${wait('$WABAKIT_BASE_URL', '$WABAKIT_ORGANIZATION')
      .map((word) => JSON.stringify(word))
      .join(' ')}; exit 3`
    const run = wabakit(['exec', '--mock', '--', 'sh', '-c', script], options)

    const started = startWabakit(['mock', '--port', '0', '--format', 'json'], options)
    const { url, organizationId } = JSON.parse(await started.line(/"ready":true/))
    const [file = '', ...args] = wait(url, organizationId)
    const { stdout } = await promisify(execFile)(file, args)
    started.kill('SIGTERM')
    await started.ended

    const { code, stdout: printed, stderr } = await run
    expect({ code, stderr }).toMatchObject({ code: 3 })
    for (const response of [printed, stdout]) {
      const [, path = response] =
        /Open (\S+\.html) to see what happened/.exec(JSON.parse(response).message) ?? []
      expect(dirname(path)).toBe(join(realpathSync(cliFolder), 'traces'))
      expect(readTrace(path)).toContain('waitForEvent CALL_MISSED')
    }
  },
)

test('with its set-up file, vitest annotates each test that fails with its trace', async () => {
  const config = join(import.meta.dirname, 'failing/vitest.config.ts')
  const env = { ...process.env, OUTPUT: folder, WABAKIT_TRACE_DIR: '', TMPDIR: folder }
  const { stdout, stderr } = await promisify(execFile)('vitest', ['run', '--config', config], { env }).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  const printed = stripVTControlCharacters(stdout + stderr)
  const [, path = printed] = /Open (\S+\.html) to see what happened/.exec(printed) ?? []
  expect(readdirSync(join(folder, 'wabakit-traces'))).toEqual([basename(path)])
  expect(readTrace(path)).toContain('fails after it has closed its mock')
  expect(readTrace(path)).toContain("expected 'fails' to be 'passes'")
  expect(readdirSync(join(folder, 'attachments'))).toHaveLength(1)
})
