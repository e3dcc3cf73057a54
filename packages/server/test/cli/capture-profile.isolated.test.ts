import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { eventExamples } from '@wabakit/contract/documents'
import { expect, onTestFinished, test } from 'vitest'
import { folder, startWabakit, wabakit, wabakitHere } from './wabakit.ts'

const readProfile = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))

const startCapture = async (...flags: string[]) => {
  const started = startWabakit([
    'capture',
    '--port',
    '0',
    '--record',
    'hooks.jsonl',
    '--format',
    'json',
    ...flags,
  ])
  const { url }: { url: string } = JSON.parse(await started.line(/"ready":true/))
  const send = async (body: object, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(`${url}/hooks?token=s3cret`, {
      signal: signal ?? null,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  /** Sends what is no request of HTTP, which is neither recorded nor forwarded. Resolves after the response. */
  const sendNonsense = async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.end('nonsense\r\n\r\n')
    expect(await text(socket)).toContain('400')
  }
  const stop = async () => {
    started.kill('SIGTERM')
    expect(await started.ended).toBe(0)
  }
  return { send, sendNonsense, stop, line: started.line }
}

const ended = {
  ...eventExamples.CALL_ENDED,
  durationInSeconds: '42',
  customerName: 'Ada Byron',
  unknownName: 'x',
}

test('capture adds what deliveries show to the profile, and what it shows is accepted by check, and played', async () => {
  const capture = await startCapture('--registered-header', 'authorization: Bearer s3cret')
  await capture.send(ended)
  // It is in the file at once, because the process may be killed.
  expect(readProfile('wabakit.profile.json').events['CALL_ENDED/PSTN'].durationInSeconds.values).toHaveLength(
    1,
  )
  await capture.send(ended)
  const undrifted = { ...ended, callId: 'call_2', durationInSeconds: 7 }
  for (let count = 0; count < 2; count++) await capture.send(undrifted, { authorization: 'Bearer s3cret' })
  await capture.send({ tagId: 'Ada' })
  await capture.stop()
  const profile = readProfile('wabakit.profile.json')
  expect(profile.deliveries).toMatchObject({
    method: { values: [{ value: 'POST', count: 4 }] },
    id: { values: [], notSeenIn: 4 },
    authorization: { values: [{ value: 'Bearer', count: 2 }], notSeenIn: 2 },
    registeredHeaders: { values: [{ value: 'as-registered' }], notSeenIn: 2 },
    // A drifted event may be another one, so it does not count as a repeat.
    repeatAfterSuccess: { values: [{ value: { attempt: 2 } }], notSeenIn: 1 },
  })
  expect(profile.events['CALL_ENDED/PSTN'].durationInSeconds.values).toMatchObject([
    { value: 'string', source: 'capture', count: 2 },
    { value: 'number', count: 2 },
  ])
  const shown = JSON.stringify(profile)
  for (const secret of ['s3cret', 'Ada', 'call_', '2025550', 'unknownName'])
    expect(shown).not.toContain(secret)

  const next = await startCapture()
  await next.send({ ...ended, callId: 'call_3' })
  await next.stop()
  const merged = readProfile('wabakit.profile.json')
  expect(merged.deliveries.method.values).toMatchObject([{ value: 'POST', count: 5 }])

  writeFileSync(join(folder, 'bodies.jsonl'), `${JSON.stringify(ended)}\n`)
  const [strict, measured] = await Promise.all([
    wabakitHere(['check', 'bodies.jsonl']),
    wabakitHere(['check', 'bodies.jsonl', '--profile', 'wabakit.profile.json']),
  ])
  expect(strict).toMatchObject({ code: 1, stdout: expect.stringContaining('drifted') })
  expect(measured).toMatchObject({ code: 0, stdout: expect.stringContaining('event      CALL_ENDED') })
  expect(measured.stderr).toContain('CALL_ENDED/PSTN durationInSeconds')

  const script = `const { WABAKIT_BASE_URL: url, WABAKIT_ORGANIZATION: id } = process.env
const base = url + '/_wabakit/organizations/' + id
const post = (path, body) => fetch(base + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
for (let call = 0; call < 2; call++) await post('/triggered-events', { name: 'CALL_ENDED', overrides: { channel: 'PSTN' } })
await post('/clock', { advance: 0 })
const { deliveries } = await (await fetch(base + '/recordings')).json()
console.log(JSON.stringify(deliveries.map(({ body }) => typeof JSON.parse(body).durationInSeconds).toSorted()))`
  const played = await wabakit([
    'exec',
    '--mock',
    '--profile',
    'wabakit.profile.json',
    '--',
    process.execPath,
    '--input-type=module',
    '-e',
    script,
  ])
  expect(played).toMatchObject({ code: 0 })
  expect(new Set(JSON.parse(played.stdout))).toEqual(new Set(['number', 'string']))
})

test('capture tells a repeat after a time-out of the sender from one after a failure', async () => {
  const answers: (() => void)[] = []
  const application = createServer((_, response) => {
    answers.push(() => response.writeHead(answers.length > 1 ? 500 : 200).end())
    if (answers.length > 1) answers.at(-1)?.()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void application.close())
  await once(application, 'listening')
  const { port } = application.address() as AddressInfo
  const file = 'timeout.profile.json'
  const capture = await startCapture('--profile', file, '--forward-to', `http://127.0.0.1:${port}`)
  const body = { ...ended, durationInSeconds: 42 }
  const giveUp = new AbortController()
  const first = capture.send(body, {}, giveUp.signal).catch(() => 'given up')
  await expect.poll(() => answers.length).toBe(1)
  giveUp.abort()
  expect(await first).toBe('given up')
  // Once the command has responded to something later, it has noticed that the sender is gone.
  await capture.sendNonsense()
  answers[0]?.()
  // The request has been printed once its attempt has ended.
  await capture.line(/"status":200/)
  expect((await capture.send(body)).status).toBe(500)
  expect((await capture.send(body)).status).toBe(500)
  await capture.stop()
  expect(readProfile(file).deliveries).toMatchObject({
    repeatAfterTimeout: { values: [{ value: { attempt: 2 }, count: 1 }] },
    repeatAfterFailure: { values: [{ value: { attempt: 3 }, count: 1 }], notSeenIn: 1 },
  })
})
