import {
  ExaminationUsageError,
  type ExamineEndpointOptions,
  type Exchange,
  examineEndpoint,
  formatReport,
  type Report,
  type ReportFormat,
  reportFormats,
  TargetUnreachableError,
  exitCodes as verdictCodes,
} from '@wabakit/conformance'
import { escapeControls } from '@wabakit/wire'
import type { Command } from 'commander'
import { escapeText } from '../terminal/escape-text.ts'
import {
  addExamples,
  addOptions,
  collectHeader,
  createNumberParser,
  createOption,
  parseSeed,
  readIds,
} from './options.ts'
import { CliError, exitCodes } from './output.ts'
import { parseProfileFile, readProfile } from './profile/profile-file.ts'
import { createLatestLine } from './progress-line.ts'

/** The severities of a check, the worst first. */
const severities = ['critical', 'high', 'medium', 'low'] as const
export type Severity = (typeof severities)[number]

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

/**
 * Returns the exit code of a report. With `failOn`, a report in which only less severe checks fail is inconclusive if one of the
 * others is, and passes otherwise.
 */
export const getExitCode = ({ verdict, checks }: Report, failOn: Severity = 'low'): number => {
  const severe = checks.filter((each) => severities.indexOf(each.severity) <= severities.indexOf(failOn))
  const has = (wanted: string): boolean => severe.some((each) => each.verdict === wanted)
  if (verdict !== 'fail' || has('fail')) return verdictCodes[verdict]
  return has('inconclusive') ? verdictCodes.inconclusive : verdictCodes.pass
}

/** Examines an endpoint, and shows the progress. */
const examine = async (
  url: string,
  {
    header = [],
    basic,
    repeat,
    timeout,
    yes,
    effectsComplete,
    profile,
    ...options
  }: Omit<DoctorOptions, 'format' | 'failOn'>,
): Promise<Report> => {
  const startedAt = performance.now()
  let [total, done, latest] = [0, 0, '']
  const progress = createLatestLine(
    () => `[${done}/${total}]${latest} (${Math.round((performance.now() - startedAt) / 1_000)} s)`,
  )
  try {
    return await examineEndpoint({
      ...options,
      url,
      headers: { ...Object.fromEntries(header), ...(basic !== undefined && toAuthorization(basic)) },
      effectsAreComplete: effectsComplete,
      profile: profile === undefined ? undefined : readProfile(profile),
      only: repeat === undefined ? options.only : [repeat],
      timeoutMs: timeout && timeout * 1_000,
      allowPublicTarget: yes,
      onStart: ({ checks, requests, target }) => {
        total = checks
        const duration =
          timeout === undefined
            ? 'a minute to several, depending on how soon effects appear'
            : `at most ${timeout} s`
        process.stderr.write(
          `${escapeText(`Sending about ${requests} requests to ${target}, for ${duration}.`)}\n`,
        )
      },
      onCheck: (id, waitsFor) => {
        latest = ` ${id}${waitsFor === undefined ? '' : `, waiting for ${waitsFor}`}`
        progress.update()
      },
      onResult: () => {
        done += 1
      },
      onExchange: (id, exchange) => {
        if (id === repeat) process.stderr.write(`${formatExchange(exchange)}\n`)
      },
    })
  } catch (cause) {
    const isUnreachable = cause instanceof TargetUnreachableError
    if (!isUnreachable && !(cause instanceof ExaminationUsageError)) throw cause
    throw new CliError(cause.message, isUnreachable ? exitCodes.unreachable : exitCodes.usage, { cause })
  } finally {
    progress.end()
  }
}

const run = async (url: string, { format, failOn, ...options }: DoctorOptions): Promise<void> => {
  const report = await examine(url, options)
  process.stdout.write(formatReport(report, format))
  process.exitCode = getExitCode(report, failOn)
}

export const define = (command: Command): void => {
  addOptions(command.argument('<url>', 'URL of the endpoint').action(run), {
    '--secret <secret>': 'secret that signs deliveries: whsec_…',
    '--previous-secret <secret>': 'secret that is still accepted during a rotation',
    '--header <header>': {
      about: 'header that authenticates the sender, as "name: value"; repeatable',
      parse: collectHeader,
    },
    '--basic <user:password>': 'credentials of the sender',
    '--effects <source>':
      'URL or shell command that prints what the application did: a line per effect, or JSON',
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
  const format = createOption('--format <format>', 'how to print the report').choices(reportFormats)
  command.addOption(failOn.choices(severities)).addOption(format.default('pretty'))
  addExamples(
    command,
    'doctor http://127.0.0.1:3000/webhooks --secret whsec_…',
    `doctor http://127.0.0.1:3000/webhooks --effects 'sqlite3 app.db "select call_id from summaries"'`,
    'doctor http://127.0.0.1:3000/webhooks --secret whsec_… --fail-on high --format sarif',
    'doctor http://127.0.0.1:3000/webhooks --repeat refuses-stale-timestamp --seed 42',
  )
  command.addHelpText('after', '\nExit codes: 0 pass, 1 fail, 2 usage error, 3 unreachable, 4 inconclusive.')
}
