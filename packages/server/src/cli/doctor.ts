import {
  type ExamineEndpointOptions,
  type Exchange,
  examineEndpoint,
  type ReportFormat,
} from '@wabakit/conformance'
import { escapeControls } from '@wabakit/wire'
import { type Command, InvalidArgumentError } from 'commander'
import { escapeText } from '../terminal/escape-text.ts'
import { addReportOptions, runJudge } from './judge.ts'
import { collect, createOption, readIds } from './options.ts'
import { CliError, exitCodes } from './output.ts'

type DoctorOptions = {
  readonly secret?: string
  readonly previousSecret?: string
  readonly header?: readonly string[]
  readonly basic?: string
  readonly effects?: string
  readonly only?: readonly string[]
  readonly skip?: readonly string[]
  readonly replay?: string
  readonly timeout?: number
  readonly seed?: number
  readonly yes?: boolean
  readonly format: ReportFormat
}

const readSeconds = (text: string): number => {
  const value = Number(text)
  if (value > 0 && value < 86_400) return value
  throw new InvalidArgumentError('It must be a number of seconds above 0.')
}

const readSeed = (text: string): number => {
  const value = Number(text)
  if (/^\d+$/.test(text) && value < 2 ** 32) return value
  throw new InvalidArgumentError('It must be a whole number from 0 to 4294967295.')
}

const readHeaders = ({ header = [], basic }: DoctorOptions): Record<string, string> | undefined => {
  const headers: Record<string, string> = {}
  for (const line of header) {
    const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? []
    // The value is a secret, so the message does not repeat it.
    if (name === undefined || !value) throw new CliError('--header takes "name: value".', exitCodes.usage)
    headers[name] = value
  }
  if (basic !== undefined) {
    if (!basic.includes(':')) throw new CliError('--basic takes "user:password".', exitCodes.usage)
    headers.authorization = `Basic ${Buffer.from(basic).toString('base64')}`
  }
  return Object.keys(headers).length > 0 ? headers : undefined
}

const toExamineOptions = (url: string, options: DoctorOptions): ExamineEndpointOptions => {
  const { secret, previousSecret, effects, skip, seed, replay, timeout, yes } = options
  return {
    url,
    secret,
    previousSecret,
    headers: readHeaders(options),
    effects,
    only: replay === undefined ? options.only : [replay],
    skip,
    seed,
    timeoutMs: timeout === undefined ? undefined : timeout * 1_000,
    allowPublicTarget: yes,
  }
}

const maxShownBytes = 2_000

const showBody = (body: Uint8Array): string => {
  const text = Buffer.from(body.subarray(0, maxShownBytes)).toString()
  return body.length > maxShownBytes ? `${text}… (${body.length} bytes)` : text
}

/** Formats a request and its response as they were sent. The doctor has already hidden the secrets in them. */
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

const examine = (url: string, options: DoctorOptions): Promise<void> => {
  const settings = toExamineOptions(url, options)
  let total = 0
  let done = 0
  return runJudge(options.format, (progress) =>
    examineEndpoint({
      ...settings,
      onStart: ({ target, checks, requests }) => {
        total = checks
        const duration =
          options.timeout === undefined
            ? 'about half a minute, or longer if it is slow'
            : `at most ${options.timeout} s`
        process.stderr.write(
          `${escapeText(`Sending about ${requests} requests to ${target}, for ${duration}.`)}\n`,
        )
      },
      onResult: ({ id, verdict }) => {
        done += 1
        if (process.stderr.isTTY) progress.show(id, () => `[${done}/${total}] ${id}: ${verdict}`)
      },
      onExchange: (id, exchange) => {
        if (id === options.replay) process.stderr.write(`${formatExchange(exchange)}\n`)
      },
    }),
  )
}

export const define = (command: Command): void => {
  command
    .argument('<url>', 'URL of the endpoint')
    .addOption(
      createOption('--secret <secret>', 'secret that signs deliveries: whsec_…').env(
        'WABAKIT_WEBHOOK_SECRET',
      ),
    )
    .addOption(createOption('--previous-secret <secret>', 'secret that is still accepted during a rotation'))
    .addOption(
      createOption(
        '--header <header>',
        'header that authenticates the sender, as "name: value"; repeatable',
      ).argParser(collect),
    )
    .addOption(createOption('--basic <user:password>', 'credentials of the sender'))
    .addOption(
      createOption(
        '--effects <source>',
        'URL or shell command that prints what the application did, one line per effect',
      ),
    )
    .addOption(createOption('--only <ids>', 'checks to run, separated by commas').argParser(readIds))
    .addOption(createOption('--skip <ids>', 'checks to leave out, separated by commas').argParser(readIds))
    .addOption(createOption('--replay <id>', 'run one check and print its requests and responses'))
    .addOption(
      createOption(
        '--timeout <seconds>',
        'maximum duration of the run (default: as its responses need)',
      ).argParser(readSeconds),
    )
    .addOption(createOption('--seed <number>', 'seed of a former run').argParser(readSeed))
    .addOption(createOption('--yes', 'examine a target outside this machine and private networks'))
    .action(examine)
  addReportOptions(
    command,
    'doctor http://127.0.0.1:3000/webhooks --secret whsec_…',
    `doctor http://127.0.0.1:3000/webhooks --effects 'sqlite3 app.db "select call_id from summaries"'`,
    'doctor http://127.0.0.1:3000/webhooks --replay refuses-stale-timestamp --seed 42',
  )
}
