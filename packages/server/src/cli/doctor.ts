import {
  type ExamineEndpointOptions,
  type Exchange,
  examineEndpoint,
  type ReportFormat,
} from '@wabakit/conformance'
import { escapeControls } from '@wabakit/wire'
import type { Command } from 'commander'
import { escapeText } from '../terminal/escape-text.ts'
import { addOptions, collectHeader, createNumberParser, createOption, parseSeed, readIds } from './options.ts'
import { CliError, exitCodes } from './output.ts'
import { parseProfileFile, readProfile } from './profile/profile-file.ts'
import { addReportOptions, runExamination, type Severity, severities } from './run-examination.ts'

type DoctorOptions = Pick<
  ExamineEndpointOptions,
  'secret' | 'previousSecret' | 'effects' | 'only' | 'skip' | 'seed'
> & {
  readonly header?: readonly [string, string][]
  readonly basic?: string
  readonly repeat?: string
  readonly effectsComplete?: boolean
  readonly profile?: string
  readonly timeout?: number
  readonly yes?: boolean
  readonly failOn?: Severity
  readonly format: ReportFormat
}

const toAuthorization = (basic: string): { readonly authorization: string } => {
  if (!basic.includes(':')) throw new CliError('--basic takes "user:password".', exitCodes.usage)
  return { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }
}

const maxShownBytes = 2_000

const showBody = (body: Uint8Array): string => {
  const text = Buffer.from(body.subarray(0, maxShownBytes)).toString()
  return body.length > maxShownBytes ? `${text}… (${body.length} bytes)` : text
}

/** Formats a request and its response, without the end of long ones. The doctor has already hidden their secrets. */
const formatExchange = ({ request, status, headers, body, error }: Exchange): string => {
  const sent = Object.entries(request.headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `> ${name}: ${value}`),
  )
  const received = Object.entries(headers).map(([name, value]) => `< ${name}: ${value}`)
  const head = status === undefined ? `< no response: ${error}` : `< ${status}`
  return [`> ${request.method}`, ...sent, `> ${showBody(request.body)}`, head, ...received, `< ${body}`, '']
    .map((line) => escapeControls(line.slice(0, 4_000)))
    .join('\n')
}

const examine = async (
  url: string,
  {
    header = [],
    basic,
    repeat,
    timeout,
    yes,
    format,
    failOn,
    effectsComplete,
    profile,
    ...options
  }: DoctorOptions,
): Promise<void> => {
  const headers = { ...Object.fromEntries(header), ...(basic !== undefined && toAuthorization(basic)) }
  await runExamination({ format, failOn }, (progress) =>
    examineEndpoint({
      ...options,
      url,
      headers,
      effectsAreComplete: effectsComplete,
      profile: profile === undefined ? undefined : readProfile(profile),
      only: repeat === undefined ? options.only : [repeat],
      timeoutMs: timeout && timeout * 1_000,
      allowPublicTarget: yes,
      onStart: (plan) => {
        progress.onStart(plan)
        const { requests, target } = plan
        const duration =
          timeout === undefined ? 'about half a minute, or longer if it is slow' : `at most ${timeout} s`
        process.stderr.write(
          `${escapeText(`Sending about ${requests} requests to ${target}, for ${duration}.`)}\n`,
        )
      },
      onResult: progress.onResult,
      onExchange: (id, exchange) => {
        if (id === repeat) process.stderr.write(`${formatExchange(exchange)}\n`)
      },
    }),
  )
}

export const define = (command: Command): void => {
  addOptions(command.argument('<url>', 'URL of the endpoint').action(examine), {
    '--secret <secret>': 'secret that signs deliveries: whsec_…',
    '--previous-secret <secret>': 'secret that is still accepted during a rotation',
    '--header <header>': {
      about: 'header that authenticates the sender, as "name: value"; repeatable',
      parse: collectHeader,
    },
    '--basic <user:password>': 'credentials of the sender',
    '--effects <source>': 'URL or shell command that prints what the application did, one line per effect',
    '--effects-complete': 'the effects show texts as they are stored, so one that is cut was lost',
    '--profile <file>': {
      about: 'wabakit.profile.json of the sender, whose events are sent as well',
      parse: parseProfileFile,
    },
    '--only <ids>': { about: 'checks to run, separated by commas', parse: readIds },
    '--skip <ids>': { about: 'checks to leave out, separated by commas', parse: readIds },
    '--repeat <id>': 'run one check again, and print its requests and responses',
    '--timeout <seconds>': {
      about: 'maximum duration of the run (default: as its responses need)',
      parse: createNumberParser('a number of seconds above 0', (value) => value > 0 && value < 86_400),
    },
    '--seed <number>': { about: 'seed of a former run', parse: parseSeed },
    '--yes': 'examine a target outside this machine and private networks',
  })
  const failOn = createOption('--fail-on <severity>', 'exit with 1 only for failures from this severity on')
  command.addOption(failOn.choices(severities))
  addReportOptions(
    command,
    'doctor http://127.0.0.1:3000/webhooks --secret whsec_…',
    `doctor http://127.0.0.1:3000/webhooks --effects 'sqlite3 app.db "select call_id from summaries"'`,
    'doctor http://127.0.0.1:3000/webhooks --secret whsec_… --fail-on high --format sarif',
    'doctor http://127.0.0.1:3000/webhooks --repeat refuses-stale-timestamp --seed 42',
  )
}
