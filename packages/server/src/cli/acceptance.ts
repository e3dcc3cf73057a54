import { examineServer, type ReportFormat } from '@wabakit/conformance'
import { type Command, InvalidArgumentError } from 'commander'
import { checkSecrecy } from './control-client.ts'
import { addReportOptions, runJudge } from './judge.ts'
import { createOption, parseSeconds, parseUrl, readIds } from './options.ts'

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
  readonly strict?: boolean
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

const examine = (baseUrl: string, options: AcceptanceOptions): Promise<void> => {
  const { timeout, format, ...examination } = options
  let count = 0
  return runJudge(format, (progress) =>
    examineServer({
      ...examination,
      baseUrl,
      timeoutMs: timeout * 1_000,
      onResult: ({ id }) => {
        count += 1
        if (process.stderr.isTTY) progress.show(id, () => `${count} checks, last ${id}`)
      },
    }),
  )
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
    .addOption(createOption('--strict', 'let advice fail the run, too'))
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
    .action(async (baseUrl: string, options: AcceptanceOptions) => {
      if (options.apiKey !== undefined || options.otherKey !== undefined) checkSecrecy(baseUrl, 'the API key')
      if (options.wabakitControl !== undefined && options.controlToken !== undefined) {
        checkSecrecy(options.wabakitControl, 'the control token')
      }
      await examine(baseUrl, options)
    })
  addReportOptions(
    command,
    'acceptance http://127.0.0.1:4100 --wabakit-control http://127.0.0.1:4100',
    'acceptance https://api.example.com --api-key $KEY --waba-number +15550100001 --format junit > report.xml',
  )
}
