import { examineServer, type ReportFormat, type ServerExamination } from '@wabakit/conformance'
import { type Command, InvalidArgumentError } from 'commander'
import { checkSecrecy } from './control-client.ts'
import { addReportOptions, runJudge } from './judge.ts'
import { addOptions, createNumberParser, parseSeconds, parseSeed, parseUrl, readIds } from './options.ts'

type AcceptanceOptions = Omit<ServerExamination, 'baseUrl' | 'timeoutMs' | 'onStart' | 'onResult'> & {
  readonly timeout: number
  readonly format: ReportFormat
}

const parseProfile = (text: string): 'reference' | 'live' => {
  if (text === 'reference' || text === 'live') return text
  throw new InvalidArgumentError('It must be reference or live.')
}

const toListenAddress = (text: string): string => {
  const [, port] = /^[^\s/]+:(\d{1,5})$/.exec(text) ?? []
  if (port !== undefined && Number(port) <= 65_535) return text
  throw new InvalidArgumentError('It must be host:port, such as 127.0.0.1:9000.')
}

const examine = (baseUrl: string, { timeout, format, ...examination }: AcceptanceOptions): Promise<void> => {
  const { apiKey, otherKey, foreignKey, wabakitControl, controlToken } = examination
  if ([apiKey, otherKey, foreignKey].some((key) => key !== undefined)) checkSecrecy(baseUrl, 'the API key')
  if (wabakitControl !== undefined && controlToken !== undefined) {
    checkSecrecy(wabakitControl, 'the control token')
  }
  return runJudge({ format }, (progress) =>
    examineServer({ ...examination, ...progress, baseUrl, timeoutMs: timeout * 1_000 }),
  )
}

export const define = (command: Command): void => {
  command.argument('<base-url>', 'base URL of its public API', parseUrl).action(examine)
  addOptions(command, {
    '--api-key <key>': 'key that may use the WABA number',
    '--waba-number <number>': 'WABA number to create groups on',
    '--other-key <key>': 'key of the same organization without permission for the number',
    '--foreign-key <key>': 'key of another organization',
    '--disabled-number <number>': 'WABA number whose integration is disabled',
    '--profile <name>': {
      about: 'live: allow what live services publish, and send the key in the header of each path',
      parse: parseProfile,
      default: 'reference',
    },
    '--auth-header <name>': { about: 'header that carries the key', default: 'Authorization' },
    '--listen <host:port>': {
      about: 'where to receive webhooks; subscribe …/pstn and …/whatsapp',
      parse: toListenAddress,
    },
    '--secret <secret>': 'whsec_… that signs the webhooks',
    '--play <command>': 'makes a call with {outcome} on {channel}, and prints its id on standard output',
    '--wabakit-control <url>': {
      about: 'URL of a wabakit server; its control API fills in all of the above',
      parse: parseUrl,
    },
    '--control-token <token>': 'control token of that server, if it has one',
    '--only <ids>': {
      about: 'checks to run, or beginnings of their ids, separated by commas',
      parse: readIds,
    },
    '--strict': 'let advice fail the run, too',
    '--seed <number>': { about: 'seed of the random sequences (default: a random one)', parse: parseSeed },
    '--minutes <number>': {
      about: 'how long to play random sequences',
      parse: createNumberParser(
        'a number of minutes, at most 1440',
        (minutes) => minutes >= 0 && minutes <= 1_440,
      ),
      default: 0.05,
    },
    '--timeout <seconds>': {
      about: 'maximum time to wait for a response or a webhook',
      parse: parseSeconds,
      default: 10,
    },
  })
  addReportOptions(
    command,
    'acceptance http://127.0.0.1:4100 --wabakit-control http://127.0.0.1:4100',
    'acceptance https://api.example.com --api-key $KEY --waba-number +15550100001 --format junit > report.xml',
  )
}
