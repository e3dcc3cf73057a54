import {
  AcceptanceUsageError,
  examineServer,
  formatReport,
  type Report,
  type ReportFormat,
  reportFormats,
  ServerUnreachableError,
  exitCodes as verdictCodes,
} from '@wabakit/conformance'
import { type Command, InvalidArgumentError } from 'commander'
import { CliError, exitCodes } from './cli-error.ts'
import { checkSecrecy } from './control-client.ts'
import { addExamples, createOption, parseSeconds, parseUrl, readIds } from './options.ts'
import { createProgressLine } from './progress-line.ts'

type AcceptanceOptions = {
  readonly apiKey?: string
  readonly wabaNumber?: string
  readonly otherKey?: string
  readonly disabledNumber?: string
  readonly authHeader: string
  readonly listen?: string
  readonly secret?: string
  readonly play?: string
  readonly wabakitControl?: string
  readonly controlToken?: string
  readonly only?: readonly string[]
  readonly seed?: number
  readonly minutes: number
  readonly timeout: number
  readonly format: ReportFormat
}

const toWholeNumber = (text: string): number => {
  if (/^\d{1,10}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

const toMinutes = (text: string): number => {
  const minutes = Number(text)
  if (text.trim() !== '' && minutes >= 0 && minutes <= 1_440) return minutes
  throw new InvalidArgumentError('It must be a number of minutes, at most 1440.')
}

const toListenAddress = (text: string): string => {
  const [, port] = /^[^\s/]+:(\d{1,5})$/.exec(text) ?? []
  if (port !== undefined && Number(port) <= 65_535) return text
  throw new InvalidArgumentError('It must be host:port, such as 127.0.0.1:9000.')
}

const examine = async (baseUrl: string, options: AcceptanceOptions): Promise<Report> => {
  const { timeout, format: _, ...examination } = options
  const progress = createProgressLine()
  let count = 0
  try {
    return await examineServer({
      ...examination,
      baseUrl,
      timeoutMs: timeout * 1_000,
      onResult: ({ id }) => {
        count += 1
        if (process.stderr.isTTY) progress.show(id, () => `${count} checks, last ${id}`)
      },
    })
  } catch (error) {
    if (error instanceof AcceptanceUsageError)
      throw new CliError(error.message, exitCodes.usage, { cause: error })
    if (error instanceof ServerUnreachableError) {
      throw new CliError(error.message, exitCodes.unreachable, { cause: error })
    }
    throw error
  } finally {
    progress.end()
  }
}

export const define = (command: Command): void => {
  command
    .argument('<base-url>', 'base URL of its public API', parseUrl)
    .addOption(createOption('--api-key <key>', 'key that may use the WABA number'))
    .addOption(createOption('--waba-number <number>', 'WABA number to create groups on'))
    .addOption(
      createOption('--other-key <key>', 'key of the same organization without permission for the number'),
    )
    .addOption(createOption('--disabled-number <number>', 'WABA number whose integration is disabled'))
    .addOption(createOption('--auth-header <name>', 'header that carries the key').default('Authorization'))
    .addOption(
      createOption(
        '--listen <host:port>',
        'where to receive webhooks; subscribe …/pstn and …/whatsapp',
      ).argParser(toListenAddress),
    )
    .addOption(
      createOption('--secret <secret>', 'whsec_… that signs the webhooks').env('WABAKIT_WEBHOOK_SECRET'),
    )
    .addOption(
      createOption(
        '--play <command>',
        'makes a call with {outcome} on {channel}, and prints its id on standard output',
      ),
    )
    .addOption(
      createOption(
        '--wabakit-control <url>',
        'URL of a wabakit server; its control API fills in all of the above',
      ).argParser(parseUrl),
    )
    .addOption(createOption('--control-token <token>', 'control token of that server, if it has one'))
    .addOption(
      createOption(
        '--only <ids>',
        'checks to run, or beginnings of their ids, separated by commas',
      ).argParser(readIds),
    )
    .addOption(
      createOption('--seed <number>', 'seed of the random sequences (default: a random one)').argParser(
        toWholeNumber,
      ),
    )
    .addOption(
      createOption('--minutes <number>', 'how long to play random sequences')
        .argParser(toMinutes)
        .default(0.05),
    )
    .addOption(
      createOption('--timeout <seconds>', 'maximum time to wait for a response or a webhook')
        .argParser(parseSeconds)
        .default(10),
    )
    .addOption(
      createOption('--format <format>', 'how to print the report')
        .choices([...reportFormats])
        .default('pretty'),
    )
    .action(async (baseUrl: string, options: AcceptanceOptions) => {
      if (options.apiKey !== undefined || options.otherKey !== undefined) checkSecrecy(baseUrl, 'the API key')
      if (options.wabakitControl !== undefined && options.controlToken !== undefined) {
        checkSecrecy(options.wabakitControl, 'the control token')
      }
      const report = await examine(baseUrl, options)
      process.stdout.write(formatReport(report, options.format))
      process.exitCode = verdictCodes[report.verdict]
    })
  addExamples(
    command,
    'acceptance http://127.0.0.1:4100 --wabakit-control http://127.0.0.1:4100',
    'acceptance https://api.example.com --api-key $KEY --waba-number +15550100001 --format junit > report.xml',
  ).addHelpText('after', '\nExit codes: 0 pass, 1 fail, 2 usage error, 3 unreachable, 4 inconclusive.')
}
