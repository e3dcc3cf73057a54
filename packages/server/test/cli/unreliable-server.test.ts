import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Command } from 'commander'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { CliError } from '../../src/cli/output.ts'
import { createProgram, runProgram } from '../../src/cli/program.ts'
import { type RunningServer, startServer } from '../../src/index.ts'

const listLeaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(listLeaves)

const getPath = (command: Command): string =>
  command.parent?.parent ? `${getPath(command.parent)} ${command.name()}` : command.name()

/** Returns the examples in a command's help, as arguments. */
const readExamples = (command: Command): string[][] => {
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
  const lines = help.replaceAll(/ \\\n */g, ' ').matchAll(/^ {2}\$ wabakit (.+)$/gm)
  return [...lines].flatMap(([, line = '']) => {
    const words = Array.from(line.matchAll(/'[^']*'|"[^"]*"|\S+/g), ([word]) => word)
    // A lone "…" stands for other options.
    return words.includes('…') ? [] : [words.map((word) => word.replaceAll(/^['"]|['"]$/g, ''))]
  })
}

const names = (await createProgram(['--help'])).commands.map((command) => command.name())
const programs = await Promise.all(names.map((name) => createProgram([name])))
const clients = programs
  .flatMap(({ commands }, index) => commands.filter((command) => command.name() === names[index]))
  .flatMap(listLeaves)
  .filter(({ options }) => options.some(({ long }) => long === '--organization'))

/** Two streams, a command that sends one request, and two that send several. */
const sample = new Set(['events tail', 'listen', 'org list', 'deliveries show', 'trigger'])

type Fault = {
  /** Set if every command is tried, not only a sample: the same code reports the other faults of all. */
  readonly isTriedByAll?: true
  readonly exitCode: number
  readonly message: RegExp
  readonly respond: (response: ServerResponse, request: IncomingMessage) => void
}

const passTime = new EventTarget()
const timeOut = (): boolean => passTime.dispatchEvent(new Event('timeout'))

/** What a server, or a proxy in front of it, may do instead of answering. */
const faults: Readonly<Record<string, Fault>> = {
  'answers 503': {
    isTriedByAll: true,
    exitCode: 1,
    message: /^The server rejected the request \(503\): It is stopping\.$/,
    respond: (response) => response.writeHead(503).end('{"message":"It is stopping."}'),
  },
  'answers 503 as a page': {
    exitCode: 1,
    message: /^The server rejected the request \(503\): <html>Unavailable<\/html>$/,
    respond: (response) => response.writeHead(503).end('<html>Unavailable</html>'),
  },
  'answers a page': {
    exitCode: 1,
    message:
      /is not a wabakit server of this version: its response is not (?:JSON|a stream of messages)\. Check --server\.$/,
    respond: (response) => response.end('<html>Welcome</html>'),
  },
  ...Object.fromEntries(
    ['{"status":"ok"}', '[]', '{"items":[null]}'].map((json) => [
      `answers ${json}, as another program does`,
      {
        exitCode: 1,
        message:
          /is not a wabakit server of this version: (?:of its response to [A-Z]+ http\S+, its? .+|its response is not a stream of messages)\. Check --server\.$/,
        respond: (response: ServerResponse) => response.end(json),
      },
    ]),
  ),
  'closes the connection': {
    exitCode: 3,
    message: /^http:\S+ did not answer: .+\. Check what has changed before you repeat the command\.$/,
    respond: (_, { socket }) => socket.destroy(),
  },
  'closes the connection in the middle of its response': {
    exitCode: 1,
    message:
      /^The response of http:\S+ ended early: .+ Check what has changed before you repeat the command\.$/,
    respond: (response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{', () => response.destroy())
    },
  },
  'does not answer': {
    isTriedByAll: true,
    exitCode: 3,
    message: /^http:\S+ did not answer: .*timeout\. Check what has changed before you repeat the command\.$/,
    respond: timeOut,
  },
}

let server: RunningServer
/** How many of a command's requests still reach the server. */
let passing = 0
let current: Fault | undefined
let isHit = false

// A connection that is kept does not close while the next request is sent on it.
const proxy = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
  if (passing-- === 0 && current !== undefined) {
    isHit = true
    return current.respond(response, request)
  }
  const chunks = await request.toArray()
  const { method = 'GET', headers } = request
  const answered = await fetch(`${server.url}${request.url}`, {
    method,
    headers: headers['content-type'] === undefined ? {} : { 'content-type': headers['content-type'] },
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  })
  response.writeHead(answered.status).end(Buffer.from(await answered.arrayBuffer()))
})

let delivery = ''
beforeAll(async () => {
  server = await startServer({ port: 0, database: ':memory:', logLevel: 'silent', sandbox: true })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const target = { channel: 'PSTN' as const, number: '+15550100002', url: 'http://127.0.0.1:9/' }
  await server.service.subscriptions.create('demo', target)
  await server.service.events.publish('demo', { ...target, name: 'CALL_ENDED', subject: 's', payload: '{}' })
  delivery = (await server.service.deliveries.list('demo')).items[0]?.id ?? ''
})
afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await server.close()
})

/** The longest that a command waits for a response, in milliseconds: a removal may take a long time. */
const limits = { DELETE: 3_600_000, other: 15_000 }

const run = async (command: Command, example: readonly string[]) => {
  const words = example.map((word) => (word === 'dlv_…' ? delivery : word))
  const isRemoval = command.options.some(({ long }) => long === '--yes')
  const { port } = proxy.address() as AddressInfo
  const args = [...words, ...(isRemoval ? ['--yes'] : []), '--server', `http://127.0.0.1:${port}`]
  return runProgram(args).then(
    () => undefined,
    (error: unknown) => error,
  )
}

test.each(Object.keys(faults))('commands report a server that %s', async (name) => {
  const fault = faults[name]
  current = fault
  const printed: string[] = []
  const print = (chunk: unknown): boolean => printed.push(String(chunk)) > 0
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(print),
    vi.spyOn(process.stderr, 'write').mockReturnValue(true),
  ]
  const asked = new Set<number>()
  if (fault?.respond === timeOut)
    spies.push(
      vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
        asked.add(ms)
        const limit = new AbortController()
        const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
        passTime.addEventListener('timeout', () => limit.abort(reason), { once: true })
        return limit.signal
      }) as never,
    )
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })

  const streamRequests = name.includes('middle') ? 1 : 2
  const wrong: unknown[] = []
  const seen = new Map<string, number>()
  const tried = clients.filter((command) => fault?.isTriedByAll || sample.has(getPath(command)))
  for (const command of tried) {
    const isStream = ['events tail', 'listen'].includes(getPath(command))
    for (const example of readExamples(command)) {
      // Fails the first request of the command, then the second, until it ends without having met the fault.
      // Once a stream is open, a command follows it until a signal.
      for (let failed = 1; failed <= (isStream ? streamRequests : Infinity); failed++) {
        passing = failed - 1
        isHit = false
        printed.length = 0
        const error = await run(command, example)
        if (!isHit) break
        seen.set(getPath(command), Math.max(failed, seen.get(getPath(command)) ?? 0))
        const result = error instanceof CliError && { exitCode: error.exitCode, message: error.message }
        const isRight = result && result.exitCode === fault?.exitCode && fault.message.test(result.message)
        if (!isRight || printed.length > 0) wrong.push({ example, failed, error, printed: [...printed] })
      }
    }
  }
  expect(wrong).toEqual([])
  expect([...seen.keys()].toSorted()).toEqual(tried.map(getPath).toSorted())
  // Commands that send more than one request.
  for (const each of ['deliveries show', 'deliveries list', 'overview', 'trigger'].filter((each) =>
    seen.has(each),
  ))
    expect(seen.get(each), each).toBeGreaterThan(1)
  if (fault?.respond === timeOut) expect(asked).toEqual(new Set(Object.values(limits)))
})
