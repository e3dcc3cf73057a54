import { readFileSync } from 'node:fs'
import { controlPath, inspectorPath } from '@wabakit/core/hosting'
import type { MockOptions } from '@wabakit/mock'
import type { Command } from 'commander'
import { withoutBom } from '../config/load-config.ts'
import { toListenError } from '../http/listen-error.ts'
import { closeOnSignal } from '../serve/close-on-signal.ts'
import { addExamples, addOptions, createFormatOption, createNumberParser, parseSeed } from './options.ts'
import { CliError, createOutput, exitCodes, type Format } from './output.ts'

/** The flags. All except `config` and `format` are options of `createMock` under the same names, which checks them. */
type MockCommandOptions = MockOptions & { readonly config?: string; readonly format: Format }

const readOptions = (file: string): object => {
  try {
    const content: unknown = JSON.parse(withoutBom(readFileSync(file, 'utf8')))
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CliError(`${file} cannot be read: ${reason}`, exitCodes.usage, { cause })
  }
  throw new CliError(`${file} must contain a JSON object with options of createMock.`, exitCodes.usage)
}

const mock = async ({ config, format, ...flags }: MockCommandOptions): Promise<void> => {
  const output = createOutput({ format })
  const { createMock, MockUsageError } = await import('@wabakit/mock')
  const file = config === undefined ? {} : readOptions(config)
  const options: MockOptions = { port: 4100, ...file, ...flags }
  const started = await createMock(options).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof MockUsageError) throw new CliError(error.message, exitCodes.usage, { cause: error })
    const { port = 0, host = '127.0.0.1' } = options
    throw toListenError(error, { port, host })
  })
  const closed = closeOnSignal(started)
  const { url, organizationId, wabaNumber, pstnNumber, apiKey, secret, profile, seed } = started
  const account = { url, organizationId, wabaNumber, pstnNumber, apiKey, secret, profile, seed }
  const facts = {
    API: url,
    page: `${url}${inspectorPath}`,
    control: `${url}${controlPath}/openapi.json`,
    profile: `${profile}, seed ${seed}`,
    organization: organizationId,
    'WABA number': wabaNumber,
    'PSTN number': pstnNumber,
    'API key': apiKey,
    'webhook secret': secret,
  }
  const lines = Object.entries(facts).map(([name, value]) => `  ${name.padEnd(15)} ${value}`)
  output.result(
    { ready: true, ...account },
    [`${output.style('green', 'ready')} ${url}`, ...lines].join('\n'),
  )
  await closed
}

export const define = (command: Command): void => {
  addOptions(command, {
    '--port <number>': {
      about: 'port to listen on; 0 takes a free one (default: 4100)',
      parse: createNumberParser(
        'a whole number from 0 to 65535',
        (value) => Number.isInteger(value) && value >= 0 && value < 65_536,
      ),
    },
    '--host <address>': 'address to listen on; any but 127.0.0.1 needs a control token (default: 127.0.0.1)',
    '--control-token <token>': 'token of the control API, at least 16 characters',
    '--profile <profile>': 'reference, live, or the path of a wabakit.profile.json (default: reference)',
    '--seed <number>': {
      about: 'seed of keys, numbers and made-up data, so that each start has the same',
      parse: parseSeed,
    },
    '--clock <clock>':
      'virtual: time passes when a test advances it; machine: as on this machine (default: virtual)',
    '--start-at <time>': 'start of the virtual clock, in ISO 8601',
    '--webhook-url <url>': 'URL that gets every event',
    '--auth-header <name>': 'header that carries the API key',
  })
  command
    .option('--config <file>', 'JSON file with options of createMock, also those that have no flag')
    .addOption(createFormatOption())
    .description('run the mock until SIGTERM or SIGINT, for tests in any language')
    .action(mock)
  addExamples(command, 'mock --port 4100 --seed 42', 'mock --config mock.json')
}
