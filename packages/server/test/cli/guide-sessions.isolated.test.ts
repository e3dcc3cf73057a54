import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { eventExamples } from '@wabakit/contract/documents'
import { createReceiver, generateSecret, standardWebhooks } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import { expect, onTestFinished, test } from 'vitest'
import { takeBlocks } from '../../../../tools/code-blocks.ts'
import { startServer, startWabakit, wabakitHere } from './wabakit.ts'

const blocks = takeBlocks(import.meta.filename, 3)
const readBlocks = (language: string): string[] =>
  blocks.filter((block) => block.language === language).map(({ code }) => code)

/** The commands of each session of the guide, with the lines that it prints. */
const [rejected = [], recorded = []] = readBlocks('console').map((session) =>
  session
    .split(/^\$ wabakit /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...output] = part.trimEnd().split('\n')
      return { command, output }
    }),
)

/** Matches a line of the guide: `…` is what it leaves out, and numbers and ids differ. */
const toPattern = (line: string): RegExp => {
  const pattern = line.replaceAll(/ *…|\b(?:dlv|sub|call)_\w*|\d+| +|[.*+?^${}()|[\]\\]/g, (part) => {
    if (part.endsWith('…')) return '.*'
    if (part.startsWith(' ')) return ' +'
    if (/^\d/.test(part)) return '\\d+'
    return /^\w/.test(part) ? part.replace(/_.*/, '_\\w*') : `\\${part}`
  })
  return new RegExp(`^${pattern}$`)
}

/** Expects the lines of the guide in this order. Others may be between them. */
const expectLines = (printed: string, expected: readonly string[]): void => {
  const lines = printed.trimEnd().split('\n')
  let last = -1
  for (const line of expected) {
    const index = lines.findIndex((each, at) => at > last && toPattern(line).test(each))
    expect(index < 0 ? { line, printed } : undefined).toBeUndefined()
    last = index
  }
}

const toWords = (command: string): string[] =>
  (command.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))

/** Opens a server on loopback. Returns its host, with the port. */
const open = async (handle: RequestListener): Promise<string> => {
  const server = createServer(handle).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('the session of the guide that finds out why a webhook is rejected prints what it shows', async () => {
  const secret = generateSecret()
  const events: string[] = []
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }) })
    .onAny(({ event }) => void events.push(event))
    .onError(() => {})
  const host = await open(toNodeHandler(receiver))
  const { ready } = await startServer(['--webhook-url', `http://${host}/webhooks`])
  const [printed = ''] = readBlocks('json')
  for (const [, name] of printed.matchAll(/"(\w+)":/g)) expect(JSON.stringify(ready)).toContain(`"${name}":`)

  const env = { WABAKIT_SERVER: ready.url }
  const run = (...words: readonly string[]) => wabakitHere(words, { env })
  await run('trigger', 'call', '--customer-number', '+15550199001')
  // The third attempt is five minutes after the second, so none is made meanwhile.
  await expect
    .poll(async () => (await run('deliveries', 'list', '--status', 'pending')).stdout, { interval: 500 })
    .toMatch(/ dlv_\w+ +2 /)
  /** Replacements for words of the guide. */
  const words: Record<string, string> = { $WABAKIT_WEBHOOK_SECRET: secret }
  for (const { command, output } of rejected) {
    const { code, stdout, stderr } = await run(...toWords(command).map((word) => words[word] ?? word))
    expect([command, code, stderr]).toEqual([command, 0, ''])
    expectLines(stdout, output)
    const [delivery] = stdout.match(/\bdlv_\w+/) ?? []
    if (delivery !== undefined) words.dlv_1_1 ??= delivery
    for (const [index, id] of (stdout.match(/\bsub_\w+/g) ?? []).entries()) words[`sub_${index + 1}`] ??= id
  }
  await expect.poll(() => events[0]).toBe('CALL_INCOMING_INITIATED')
})

test('the session of the guide that records webhooks prints what it shows', async () => {
  const received: string[] = []
  const host = await open(async (request, response) => {
    received.push(await text(request))
    response.end()
  })
  const [capture, check, replay] = recorded
  if (capture === undefined || check === undefined || replay === undefined) throw new Error('no session')
  const adapt = (command: string): string[] =>
    toWords(command.replace('8080', '0').replace('127.0.0.1:3000', host).replace('whsec_…', generateSecret()))
  const started = startWabakit(adapt(capture.command))
  const ready = await started.line(/^ready /)
  const { callId: _, ...drifted } = eventExamples.CALL_ENDED
  for (const body of [eventExamples.CALL_ENDED, drifted])
    await fetch(`${ready.split(' ')[1]}/webhooks`, { method: 'POST', body: JSON.stringify(body) })
  started.kill('SIGTERM')
  await started.ended
  expectLines(started.lines.join('\n'), capture.output)
  const checked = await wabakitHere(adapt(check.command))
  expect(checked.code).toBe(1)
  expectLines(checked.stdout + checked.stderr, check.output)
  expect(await wabakitHere(adapt(replay.command))).toMatchObject({ code: 0, stderr: '' })
  expect(received.map((body) => JSON.parse(body).event)).toEqual(Array(4).fill('CALL_ENDED'))
})
