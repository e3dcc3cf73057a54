import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver, generateSecret, memoryDedupe, standardWebhooks } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { wabakit, wabakitHere } from './wabakit.ts'

// A run takes longer on a busy machine.
vi.setConfig({ testTimeout: 1_200_000 })

const secret = generateSecret()
const servers = new Set<ReturnType<typeof createServer>>()

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

const listen = async (handle: RequestListener): Promise<string> => {
  const server = createServer(handle)
  servers.add(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
}

const effects: string[] = []
let good: string
let careless: string
let page: string

beforeAll(async () => {
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }), dedupe: memoryDedupe() })
  receiver.onAny((event) => effects.push(`${'callId' in event ? event.callId : event.groupId}`))
  good = await listen(toNodeHandler(receiver))
  careless = await listen((request, response) => {
    request.resume()
    response.end(`thank you; by the way, ${secret}`)
  })
  page = await listen((_, response) => response.end(effects.join('\n')))
})

describe.concurrent('wabakit doctor', () => {
  // Runs with the limits of users, and so waits for half a minute, in which the other tests run.
  test('passes a correct endpoint, and announces what it will send', async () => {
    const { code, stdout, stderr } = await wabakit(['doctor', good, '--secret', secret, '--effects', page])
    expect(stdout).toMatch(/^pass {2}.* passed {2}seed \d+$/m)
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^Sending about \d+ requests to http:\/\/127\.0\.0\.1:\d+\/webhooks, for a minute to several, depending on how soon effects appear\.$/m,
    )
  })

  test('fails a careless receiver with exit code 1, as JSON, without its secret', async () => {
    const args = ['doctor', careless, '--only', 'refuses-unsigned,keeps-secrets-out-of-answers']
    const { code, stdout, stderr } = await wabakitHere([...args, '--seed', '7', '--format', 'json'], {
      env: { WABAKIT_WEBHOOK_SECRET: secret },
    })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      tool: 'doctor',
      verdict: 'fail',
      seed: 7,
      counts: { fail: 2 },
    })
    expect(stdout + stderr).not.toContain(secret)
  })

  test('replays one check, printing its requests and responses without secrets', async () => {
    const args = ['doctor', careless, '--secret', secret, '--header', 'x-token: a-secret-token']
    const { code, stderr } = await wabakitHere([...args, '--repeat', 'refuses-swapped-id'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^> POST$/m)
    expect(stderr).toMatch(/^> webhook-id: msg_\d+_doctor_/m)
    expect(stderr).toMatch(/^> x-token: \[redacted\]$/m)
    expect(stderr).toMatch(/^< 200$/m)
    expect(stderr).not.toContain(secret)
  })

  test.each([
    ['no way to authenticate', ['doctor', 'http://127.0.0.1:1/'], /--secret, --header or --basic/],
    [
      'an unknown check',
      ['doctor', 'http://127.0.0.1:1/', '--secret', secret, '--only', 'x'],
      /no check "x"/,
    ],
    ['a public target', ['doctor', 'https://203.0.113.7/', '--secret', secret], /--yes/],
    ['a header without a value', ['doctor', 'http://127.0.0.1:1/', '--header', 'x-token'], /and a value/],
  ])('ends with 2 for %s', async (_, args, message) => {
    const { code, stderr } = await wabakitHere(args)
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
  })

  test('exits with 3 when nothing listens, and with 4 when genuine deliveries are refused', async () => {
    const unreachable = await wabakitHere(['doctor', 'http://127.0.0.1:1/', '--secret', secret])
    expect(unreachable.stderr).toContain('No connection to http://127.0.0.1:1/')
    expect(unreachable.code).toBe(3)
    const wrong = await wabakitHere(['doctor', good, '--secret', generateSecret()])
    expect(wrong.stdout).toContain('the secret or the credentials probably belong to another endpoint')
    expect(wrong.code).toBe(4)
  })
})
