import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const main = join(import.meta.dirname, '../../packages/server/src/cli/main.ts')

/** The line that `wabakit serve --format json` prints when it is ready. */
type Ready = {
  readonly url: string
  readonly demo?: {
    readonly organizationId: string
    readonly wabaNumber: string
    readonly apiKey: string
    readonly webhookSecret: string
  }
}

const running = new Set<(signal: NodeJS.Signals) => Promise<number | null>>()

/** Starts `wabakit serve` from the sources, as a process that can be killed. It is killed when this process exits. */
export const serve = async (name: string, settings: Readonly<Record<string, string | number>>) => {
  const flags = Object.entries({ port: 0, 'log-level': 'error', ...settings }).flatMap(([flag, value]) => [
    `--${flag}`,
    `${value}`,
  ])
  const child = spawn(
    process.execPath,
    ['--conditions=@wabakit/source', main, 'serve', '--format', 'json', ...flags],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  process.on('exit', () => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const failed = exited.then(() => Promise.reject(new Error(`${name} did not start.`)))
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), failed])
  const { url, demo }: Ready = JSON.parse(line)
  /** Sends a signal. Resolves to the exit code, or to `null` if the signal ended the process. */
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    const [code] = await exited
    return code
  }
  running.add(end)
  return { name, url, demo, pid: child.pid, end }
}

export const killAll = () => Promise.all([...running].map((end) => end('SIGKILL')))
