import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createAdaptorServer } from '@hono/node-server'
import { afterEach, expect, test } from 'vitest'
import { eventNames } from 'wabakit/contract'
import { createReferenceServer } from 'wabakit/core'
import { createMock } from 'wabakit/mock'
import { generateSecret, standardWebhooks } from 'wabakit/webhooks'
import { createOrders, refunds } from '../../../examples/start/orders.ts'
import { codeBlocks, takeBlocks } from '../../../tools/code-blocks.ts'
import { findFreePort } from '../../server/test/free-port.ts'

const root = resolve(import.meta.dirname, '../../..')
const readExample = (name: string): string => readFileSync(join(root, 'examples', name), 'utf8')
const nodeArguments = ['--conditions=@wabakit/source']

const open: { close(): unknown }[] = []
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())))

const listen = async (server: Server): Promise<number> => {
  open.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Pages whose snippets are examples, which other tests run, by their files. */
const examples: Readonly<Record<string, readonly string[]>> = {
  'README.md': ['send.ts', 'receive.ts', 'order.test.ts'],
  'packages/wabakit/README.md': ['send.ts', 'receive.ts'],
  'packages/wabakit/AGENTS.md': ['start/orders.ts'],
  'docs/reference/parsing.md': ['parse-events.ts'],
  'docs/start.md': ['start/orders.ts', 'start/orders.test.ts', 'start/serve.ts', 'send.ts'],
  'docs/orms.md': ['orms/drizzle.ts', 'orms/prisma.ts'],
}

test.each(Object.entries(examples))('each snippet of %s is identical to an example', (page, files) => {
  const blocks = codeBlocks.filter((block) => block.page === page && block.language === 'ts')
  expect(blocks.map(({ code }) => code)).toEqual(files.map(readExample))
})

test('the code of the start page handles a duplicate once', async () => {
  await using mock = await createMock()
  const orders = createOrders(standardWebhooks({ secrets: [mock.secret] }))
  mock.deliverTo(orders)
  mock.faults.deliveries.duplicate('CALL_AI_SUMMARY')
  await mock.simulateCall({ summary: { recap: 'Wants a refund.' } })
  await mock.clock.advance('1m')
  await orders.drain()
  expect(mock.deliveries.filter(({ name }) => name === 'CALL_AI_SUMMARY')).toHaveLength(2)
  expect(refunds).toHaveLength(1)
})

test('AGENTS.md names every event, and only what the packages export', async () => {
  const file = join(root, 'packages/wabakit/AGENTS.md')
  const page = readFileSync(file, 'utf8')
  const events = `Events: ${eventNames.map((name) => `\`${name}\``).join(', ')}.`
  await expect(page.replace(/^Events:.*$/m, events)).toMatchFileSnapshot(file)
  const api = readFileSync(join(import.meta.dirname, 'public-api.txt'), 'utf8')
  const functions = [
    ...page.matchAll(/`((?:to|create|redis|sql|memory|static|basic|bearer|standard)[A-Z]\w+)/g),
  ].map(([, name]) => name)
  expect(functions.length).toBeGreaterThan(8)
  expect(functions.filter((name) => !new RegExp(`\\b${name}\\b`).test(api))).toEqual([])
})

/** Starts a service with one number, and returns the variables of its client. */
const startService = async () => {
  const apiKey = 'secret-key-0123456789'
  const server = createReferenceServer({
    organizations: [
      { id: 'org', integrations: [{ wabaNumber: '+15550100001' }], apiKeys: [{ key: apiKey }] },
    ],
  })
  const port = await listen(
    createAdaptorServer({
      fetch: (request) => server.fetch(request),
      overrideGlobalObjects: false,
    }) as Server,
  )
  return { WABAKIT_BASE_URL: `http://127.0.0.1:${port}`, WABAKIT_API_KEY: apiKey }
}

/** All other snippets that no other test runs. They need nothing but variables. */
const selfContained = takeBlocks(import.meta.filename).filter(({ page }) => examples[page] === undefined)

/** What some of them print, as their comments show, by their page and place. */
const printed: Readonly<Record<string, RegExp>> = {
  'packages-contract-README.md-0':
    /^\[.*wabaNumber is required.*subject must be at most 128 characters long.*\]\ntrue\n$/s,
  'packages-contract-README.md-1': /^c1\n\{ region: 'eu' \}\n\*\*\*43\n$/,
  'packages-contract-README.md-2':
    /^\[ '\/whatsapp\/wa-group\/create', '\/v1\/call\/ai-summary' \]\n3\.0\.0 object\n$/,
  'packages-wire-README.md-0':
    /^\[\n? *\{\s*path: 'durationInSeconds',\s*message: 'durationInSeconds must be a number'\s*\}\s*\]\n$/,
}

test('the snippets of the guides run, one after the other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-snippets-'))
  open.push({ close: () => rmSync(folder, { recursive: true }) })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const files = selfContained.map(({ page, code }, index) => {
    const before = selfContained.slice(0, index).filter((block) => block.page === page)
    const file = `${page.replaceAll('/', '-')}-${before.length}.ts`
    writeFileSync(join(folder, file), code)
    return file
  })
  const runner = `
    // What a server waits for before it ends.
    setInterval(() => process.emit('SIGINT', 'SIGINT'), 20)
    for (const file of ${JSON.stringify(files)}) {
      await import('./' + file)
      console.log('ran', file)
    }
    process.exit()`
  writeFileSync(join(folder, 'run.js'), runner)
  const secret = generateSecret()
  const env = {
    ...(await startService()),
    ...{ WEBHOOK_TOKEN: 'a-token-of-16-bytes', OLD_WEBHOOK_TOKEN: 'another-token-of-16-bytes' },
    ...{ WABAKIT_WEBHOOK_SECRET: secret, WABAKIT_OPERATIONS_SECRET: secret },
    ...{ WABAKIT_PORT: '0', WABAKIT_DATABASE: ':memory:' },
  }
  const { stdout } = await promisify(execFile)(process.execPath, [...nodeArguments, 'run.js'], {
    cwd: folder,
    env,
  })
  expect([...stdout.matchAll(/^ran (.*)$/gm)].map(([, file]) => file)).toEqual(files)
  const outputs = stdout.split(/^ran .*\n/m)
  for (const [name, output] of Object.entries(printed))
    expect(outputs[files.indexOf(`${name}.ts`)]).toMatch(output)
})

test('the snippet that sends creates a group', async () => {
  const { stdout } = await promisify(execFile)('node', [...nodeArguments, 'examples/send.ts'], {
    cwd: root,
    env: { ...process.env, ...(await startService()) },
  })
  expect(stdout).toMatch(/^created wagrp_[0-9A-Z]{26}\n$/)
})

test('the snippet that receives prints a verified summary', async () => {
  const [secret, port] = [generateSecret(), await findFreePort()]
  const child = spawn('node', [...nodeArguments, 'examples/receive.ts'], {
    cwd: root,
    env: { ...process.env, DATABASE: ':memory:', WEBHOOK_TOKEN: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  open.push({ close: () => child.kill() && exited })
  const printed = once(child.stdout, 'data')
  const payload = JSON.stringify({
    event: 'CALL_AI_SUMMARY',
    channel: 'PSTN',
    callId: 'call-1',
    callDirection: 'INCOMING',
    callStatus: 'END',
    durationInSeconds: 42,
    callStartedAt: '2026-01-01T10:00:00.000Z',
    callEndedAt: '2026-01-01T10:00:42.000Z',
    from: '+15550001111',
    to: '+15550002222',
    channelNumber: '+15550001111',
    customerNumber: '+15550002222',
    callType: 'AGENT',
    triggeredVia: 'INBOUND',
    summary: { recap: 'Asked about order 1042.', keyPoints: [], nextSteps: [] },
  })
  const deliver = async (): Promise<Response> => {
    for (;;) {
      const response = await fetch(`http://127.0.0.1:${port}/?token=${encodeURIComponent(secret)}`, {
        method: 'POST',
        body: payload,
        headers: { 'content-type': 'application/json' },
      }).catch((error) => error)
      if (response instanceof Response) return response
      if (child.exitCode !== null) throw response
      await sleep(50)
    }
  }
  expect((await deliver()).status).toBe(200)
  expect(String(await printed)).toBe('call-1 Asked about order 1042.\n')
})
