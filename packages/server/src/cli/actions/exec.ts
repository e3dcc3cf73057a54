import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { loadConfig } from '../../config/load-config.ts'
import { startServer } from '../../host/start-server.ts'
import { CliError, exitCodes } from '../cli-error.ts'
import type { ServeOptions } from './serve.ts'

const signals = ['SIGTERM', 'SIGINT'] as const

const runChild = async (command: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> => {
  const [file = '', ...rest] = command
  const child = spawn(file, rest, { stdio: 'inherit', env: environment })
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal)
  for (const signal of signals) process.on(signal, forward)
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', (cause) => {
        reject(new CliError(`${file} cannot be run: ${cause.message}`, exitCodes.usage, { cause }))
      })
      child.on('exit', (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      )
    })
  } finally {
    for (const signal of signals) process.off(signal, forward)
  }
}

/**
 * Runs a command beside a server of its own, which is gone afterwards: in memory and on a free port, unless flags say
 * otherwise. The command finds the server by variables of its environment.
 *
 * @returns the command's exit code.
 */
export const exec = async (
  command: readonly string[],
  { config: file, ...flags }: ServeOptions,
): Promise<number> => {
  const config = loadConfig({
    flags: { database: ':memory:', port: '0', logLevel: 'warn', ...flags },
    file: typeof file === 'string' ? file : undefined,
  })
  await using server = await startServer(config)
  const { demo, service, url } = server
  const environment: NodeJS.ProcessEnv = { ...process.env, WABAKIT_BASE_URL: url, WABAKIT_SERVER: url }
  if (config.controlToken !== undefined) environment.WABAKIT_CONTROL_TOKEN = config.controlToken
  if (demo !== undefined) {
    const { key } =
      demo.apiKey === undefined
        ? await service.apiKeys.create(demo.organizationId, { label: 'exec' })
        : { key: demo.apiKey }
    environment.WABAKIT_API_KEY = key
    environment.WABAKIT_ORGANIZATION = demo.organizationId
    environment.WABAKIT_WABA_NUMBER = demo.wabaNumber
    environment.WABAKIT_PSTN_NUMBER = demo.pstnNumber
    if (demo.webhookSecret !== undefined) environment.WABAKIT_WEBHOOK_SECRET = demo.webhookSecret
  }
  // Without `await` the server would be closed before the command has run.
  return await runChild(command, environment)
}
