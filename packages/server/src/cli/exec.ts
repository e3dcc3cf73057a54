import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { controlPath, inspectorPath } from '@wabakit/core/hosting'
import type { Command } from 'commander'
import { loadConfig } from '../config/load-config.ts'
import type { ServerConfig, SettingName } from '../config/server-config.ts'
import { settings } from '../config/settings.ts'
import { getWebhookHeader } from '../config/webhook-header.ts'
import { signals as stopSignals } from '../serve/close-on-signal.ts'
import { formatDatabase } from '../serve/open-store.ts'
import { type RunningServer, startServer } from '../serve/start-server.ts'
import { addExamples } from './options.ts'
import { CliError, exitCodes } from './output.ts'
import { readProfile } from './profile/profile-file.ts'
import { addSettingOptions, type SettingFlags } from './setting-options.ts'

/** Defaults that differ from the defaults of `serve`. They apply even if environment variables are set. */
const defaults = { database: ':memory:', port: '0', logLevel: 'warn' } as const

const quote = (argument: string): string =>
  /^[\w./:=@-]+$/.test(argument) ? argument : `"${argument.replaceAll('"', '""')}"`

/**
 * Builds the arguments of `spawn` for a command. On Windows, `npm` and other scripts are `.cmd` files, which need a
 * shell.
 */
export const toSpawnArguments = ([file = '', ...args]: readonly string[], platform: NodeJS.Platform) =>
  platform === 'win32'
    ? { file: [file, ...args].map(quote).join(' '), args: [], shell: true }
    : { file, args, shell: false }

type Forwarded = {
  readonly signal: NodeJS.Signals
  readonly platform: NodeJS.Platform
  /** Set if standard input is a terminal. */
  readonly isTerminal: boolean
}

/**
 * Forwards a signal to a child, except SIGINT on a terminal, which sends Ctrl-C to both processes: many programs end at once when
 * they get it a second time. Forwards none on Windows, where the console signals the child, and `kill` would end it immediately.
 */
export const passOn = (
  child: Pick<ChildProcess, 'kill'>,
  { signal, platform, isTerminal }: Forwarded,
): void => {
  if (platform !== 'win32' && !(isTerminal && signal === 'SIGINT')) child.kill(signal)
}

/** Without a handler, SIGHUP would end this process at once, and leave the command without a server. */
const signals = [...stopSignals, 'SIGHUP'] as const

const runChild = async (command: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> => {
  const { file, args, shell } = toSpawnArguments(command, process.platform)
  const child = spawn(file, args, { stdio: 'inherit', env: environment, shell })
  const { platform, stdin } = process
  const forward = (signal: NodeJS.Signals): void =>
    passOn(child, { signal, platform, isTerminal: stdin.isTTY })
  for (const signal of signals) process.on(signal, forward)
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', (cause) => {
        reject(new CliError(`${command[0]} cannot be run: ${cause.message}`, exitCodes.usage, { cause }))
      })
      child.on('exit', (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      )
    })
  } finally {
    for (const signal of signals) process.off(signal, forward)
  }
}

const buildEnvironment = async (
  { url, demo, service }: RunningServer,
  controlToken: string | undefined,
): Promise<NodeJS.ProcessEnv> => {
  const environment: NodeJS.ProcessEnv = { ...process.env, WABAKIT_BASE_URL: url, WABAKIT_SERVER: url }
  if (controlToken !== undefined) environment.WABAKIT_CONTROL_TOKEN = controlToken
  if (demo === undefined) return environment
  const { organizationId, wabaNumber, pstnNumber, webhookSecret } = demo
  environment.WABAKIT_API_KEY =
    demo.apiKey ?? (await service.apiKeys.create(organizationId, { label: 'exec' })).key
  environment.WABAKIT_ORGANIZATION = organizationId
  environment.WABAKIT_WABA_NUMBER = wabaNumber
  environment.WABAKIT_PSTN_NUMBER = pstnNumber
  if (webhookSecret !== undefined) environment.WABAKIT_WEBHOOK_SECRET = webhookSecret
  return environment
}

/** Prints facts about the server to standard error, because standard output belongs to the command. */
const report = (what: string, facts: Readonly<Record<string, unknown>>): void => {
  const shown = Object.entries(facts).map(([name, value]) => `  ${name} ${value}`)
  process.stderr.write(`wabakit ${what}${shown.join('')}\n`)
}

/** The settings that `--mock` passes on to the mock. */
const mockSettings: readonly SettingName[] = [
  'port',
  'profile',
  'live',
  'seed',
  'webhookUrl',
  'webhookHeader',
]

const refuseIgnored = (flags: SettingFlags): void => {
  const ignored = settings.filter(({ name }) => flags[name] !== undefined && !mockSettings.includes(name))
  if (ignored.length === 0) return
  const names = ignored.map(({ flag }) => flag).join(', ')
  throw new CliError(`With --mock, these flags would have no effect: ${names}. Remove them.`, exitCodes.usage)
}

/** Runs a command with the mock of `wabakit/mock`: virtual time, faults of deliveries, waits and recordings. */
const execWithMock = async (command: readonly string[], config: ServerConfig): Promise<number> => {
  const { port, profile, seed, live, webhookUrl } = config
  const { createMock } = await import('@wabakit/mock')
  const webhookAuth = getWebhookHeader(config)
  const isFile = profile.endsWith('.json')
  const measured = isFile ? readProfile(profile) : profile
  const mock = await createMock({ port, profile: measured, seed, webhookUrl, webhookAuth, live })
  try {
    report(`mock ${mock.url}`, {
      profile,
      seed: mock.seed,
      control: `${mock.url}${controlPath}/openapi.json`,
      page: `${mock.url}${inspectorPath}`,
    })
    return await runChild(command, {
      ...process.env,
      WABAKIT_BASE_URL: mock.url,
      WABAKIT_SERVER: mock.url,
      WABAKIT_API_KEY: mock.apiKey,
      WABAKIT_ORGANIZATION: mock.organizationId,
      WABAKIT_WABA_NUMBER: mock.wabaNumber,
      WABAKIT_PSTN_NUMBER: mock.pstnNumber,
      WABAKIT_WEBHOOK_SECRET: mock.secret,
      WABAKIT_SEED: String(mock.seed),
      // An absolute path, because the command may change to another folder.
      WABAKIT_PROFILE: isFile ? resolve(profile) : profile,
    })
  } finally {
    await mock.close()
  }
}

type ExecFlags = SettingFlags & { readonly mock?: boolean }

/**
 * Runs a command with a temporary server. By default, the server stores its data in memory and listens on a free port.
 */
const exec = async (
  command: readonly string[],
  { config: file, mock, ...flags }: ExecFlags,
): Promise<number> => {
  if (mock) refuseIgnored(flags)
  const config = loadConfig({ flags: { ...defaults, ...flags }, file })
  if (mock) return execWithMock(command, config)
  await using server = await startServer(config)
  report(`server ${server.url}`, { database: formatDatabase(config.database) })
  // Without `await`, the server would be closed before the command ends.
  return await runChild(command, await buildEnvironment(server, config.controlToken))
}

export const define = (command: Command): void => {
  addSettingOptions(command, { defaults, shown: [...mockSettings, 'database', 'logLevel', 'sandbox'] })
    .description(
      'run a command with a temporary server, whose address it finds in WABAKIT_BASE_URL and WABAKIT_API_KEY',
    )
    .argument('<command...>', 'the command and its arguments, after --')
    .option(
      '--mock',
      'use the mock instead of a server: virtual time, faults of deliveries, waits and recordings',
    )
    .action(async (child, { format: _, ...flags }) => {
      process.exitCode = await exec(child, flags)
    })
  addExamples(command, 'exec -- npm test', 'exec --mock -- pytest')
}
