import { existsSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { generateSecret } from '@wabakit/webhooks'
import { Command } from 'commander'
import { expect, test, vi } from 'vitest'
import { define as defineDoctor } from '../../src/cli/doctor.ts'
import { listenOnFreePort } from '../listen-on-free-port.ts'
import { folder } from './wabakit.ts'

type Received = { readonly headers: IncomingHttpHeaders; readonly body: string }

/** Starts an endpoint that records requests and accepts them. */
const listen = async () => {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => '')
    received.push({ headers: request.headers, body })
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{}')
  })
  return { url: await listenOnFreePort(server), received }
}

/** Runs a command in this process. Returns what it printed, and its error. */
const run = async (define: (command: Command) => void, args: readonly string[]) => {
  const printed = { stdout: '', stderr: '', error: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += text
      return true
    })
  }
  const command = new Command().exitOverride()
  define(command)
  const { exitCode } = process
  await command.parseAsync([...args], { from: 'user' }).catch((error: unknown) => {
    printed.error = String(error)
  })
  const code = process.exitCode
  process.exitCode = exitCode
  vi.restoreAllMocks()
  const report = printed.stdout.startsWith('{') ? JSON.parse(printed.stdout) : undefined
  const ids: string[] = report?.checks.map(({ id }: { id: string }) => id) ?? []
  return { ...printed, code, report, ids }
}

type Seen = Awaited<ReturnType<typeof run>> & { readonly received: readonly Received[] }

/**
 * The arguments that add a flag, and what is seen of it: with its default and with the flag.
 */
type FlagCase = {
  readonly flag: readonly string[]
  /** Arguments of both runs. */
  readonly common?: readonly string[]
  readonly see: (seen: Seen) => unknown
  readonly seen: readonly [byDefault: unknown, changed: unknown]
}

const listFlags = (define: (command: Command) => void): string[] => {
  const command = new Command()
  define(command)
  return command.options.map(({ long }) => long ?? '').toSorted()
}

const secret = generateSecret()
const header = (name: string) => (seen: Seen) => seen.received[0]?.headers[name]
const only = (ids: string): readonly string[] => ['--only', ids]
const signed = ['--secret', secret]
const json = ['--format', 'json']
const genuine = only('accepts-genuine')

/** A command that prints effects, and leaves a file. */
const effectsFile = join(folder, 'ran')

/** A profile with an event that has a duration of the wrong type. */
const profileFile = join(folder, 'measured.json')
const stated = { values: [{ value: 'string', source: 'stated' }] }
const events = { 'CALL_ENDED/PSTN': { durationInSeconds: stated } }
writeFileSync(profileFile, JSON.stringify({ version: 1, api: {}, deliveries: {}, events }))

const doctorFlags: Readonly<Record<string, FlagCase>> = {
  '--secret': {
    flag: signed,
    common: ['--header', 'x-token: t0ken', ...genuine],
    see: (seen) => typeof header('webhook-signature')(seen),
    seen: ['undefined', 'string'],
  },
  '--previous-secret': {
    flag: ['--previous-secret', generateSecret()],
    common: [...signed, ...only('accepts-either-secret-in-rotation'), ...json],
    see: ({ report, ids }) => report.checks[ids.indexOf('accepts-either-secret-in-rotation')]?.verdict,
    seen: ['skipped', 'pass'],
  },
  '--header': {
    flag: ['--header', 'x-token: t0ken'],
    common: [...signed, ...genuine],
    see: header('x-token'),
    seen: [undefined, 't0ken'],
  },
  '--basic': {
    flag: ['--basic', 'u:p'],
    common: [...signed, ...genuine],
    see: header('authorization'),
    seen: [undefined, `Basic ${btoa('u:p')}`],
  },
  '--effects': {
    flag: ['--effects', `touch ${effectsFile}`],
    common: [...signed, ...genuine, '--timeout', '1'],
    see: () => existsSync(effectsFile),
    seen: [false, true],
  },
  '--profile': {
    flag: ['--profile', profileFile],
    common: [...signed, ...only('accepts-every-event')],
    see: ({ received }) => received.some(({ body }) => /"durationInSeconds":"/.test(body)),
    seen: [false, true],
  },
  '--fail-on': {
    // The endpoint accepts all requests.
    flag: ['--fail-on', 'critical'],
    common: [...signed, ...only('refuses-get')],
    see: ({ code }) => code,
    seen: [1, 0],
  },
  '--only': {
    flag: only('refuses-get'),
    common: [...signed, ...json, '--timeout', '0.3'],
    see: ({ ids }) => ids.length < 4,
    seen: [false, true],
  },
  '--skip': {
    flag: ['--skip', 'refuses-get'],
    common: [...signed, ...json, ...only('refuses-get,refuses-unsigned')],
    see: ({ ids, report }) => report.checks[ids.indexOf('refuses-get')]?.verdict ?? 'skipped',
    seen: ['fail', 'skipped'],
  },
  '--repeat': {
    flag: ['--repeat', 'refuses-unsigned'],
    common: [...signed, ...only('refuses-unsigned')],
    see: ({ stderr }) => stderr.includes('> POST'),
    seen: [false, true],
  },
  '--timeout': {
    flag: ['--timeout', '5'],
    common: [...signed, ...genuine, ...json],
    see: ({ report, stderr }) => [report.verdict, /at most \d+ s|a minute to several/.exec(stderr)?.[0]],
    seen: [
      ['pass', 'a minute to several'],
      ['pass', 'at most 5 s'],
    ],
  },
  '--seed': {
    flag: ['--seed', '42'],
    common: [...signed, ...genuine, ...json],
    see: ({ report }) => report.seed === 42,
    seen: [false, true],
  },
  '--format': {
    flag: json,
    common: [...signed, ...genuine],
    see: ({ report }) => report?.verdict,
    seen: [undefined, 'pass'],
  },
}

test.each(Object.entries(doctorFlags))(
  'doctor: %s has an effect',
  async (_, { flag, common = [], see, seen }) => {
    const shown: unknown[] = []
    for (const args of [[], flag]) {
      const { url, received } = await listen()
      shown.push(see({ ...(await run(defineDoctor, [url, ...common, ...args])), received }))
    }
    expect(shown).toEqual(seen)
  },
)

test.each([
  [[], 'pass --yes'],
  [['--yes'], 'Sending about'],
])('doctor: a public target with %j prints "%s"', async (flag, printed) => {
  const args = [...signed, ...genuine, '--timeout', '0.01', ...flag]
  const { stderr, error } = await run(defineDoctor, ['https://203.0.113.7/', ...args])
  expect(stderr + error).toContain(printed)
})

/** Flags with a test of their own. */
const withoutCase = ['--effects-complete', '--yes']

test('every flag of the doctor has a case', () => {
  expect(listFlags(defineDoctor)).toEqual([...Object.keys(doctorFlags), ...withoutCase].toSorted())
})
