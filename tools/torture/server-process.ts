import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Options for {@link startServerProcess}. */
export type ServerProcessOptions = {
  /** The server's configuration file. */
  readonly config: string
  /** The file for the server's log. */
  readonly log: string
  /** Paths of modules that are loaded before the server. They receive the messages sent to the process. */
  readonly preloads?: readonly string[]
  /** Additional environment variables. */
  readonly environment?: Readonly<Record<string, string>> | undefined
}

/** `wabakit serve` in a separate process. */
export type ServerProcess = {
  readonly pid: number
  /** Resolves to the URL. Rejects if the process ends before it is ready. */
  readonly ready: Promise<string>
  /** Sends a signal and resolves to the exit code (`null` if a signal ended the process). */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
  /** Pauses the process without notifying it. */
  pause(): void
  resume(): void
  readonly isRunning: () => boolean
  /** Resolves when the process has ended. */
  readonly exited: Promise<unknown>
  /** Sends a question to a preloaded module. */
  ask(question: string): Promise<number>
}

const firstLine = async (child: ChildProcess, log: string): Promise<string> => {
  if (child.stdout === null) throw new Error('The process has no output.')
  const exit = once(child, 'exit').then(([code, signal]) => {
    const end = readFileSync(log, 'utf8').slice(-2_000)
    throw new Error(`The server ended with ${code ?? signal} before it was ready.\n${end}`)
  })
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), exit])
  return JSON.parse(String(line)).url
}

/** Starts the server. */
export const startServerProcess = ({
  config,
  log,
  preloads = [],
  environment,
}: ServerProcessOptions): ServerProcess => {
  const output = openSync(log, 'a')
  const child = spawn(
    process.execPath,
    [
      '--conditions=@wabakit/source',
      ...preloads.flatMap((preload) => ['--import', preload]),
      join(import.meta.dirname, '../../packages/server/src/cli/main.ts'),
      ...['serve', '--format', 'json', '--config', config],
    ],
    { stdio: ['ignore', 'pipe', output, 'ipc'], env: { ...process.env, ...environment } },
  )
  closeSync(output)
  // Also kills the server if this process ends early.
  const killChild = (): void => void child.kill('SIGKILL')
  process.once('exit', killChild)
  const exited = once(child, 'exit').finally(() => process.off('exit', killChild))
  const ready = firstLine(child, log)
  ready.catch(() => {})
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
  return {
    pid: child.pid ?? 0,
    ready,
    isRunning,
    exited,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    end: async (signal) => {
      if (isRunning()) child.kill(signal)
      const [code] = await exited
      return code
    },
    ask: async (question) => {
      const answer = once(child, 'message')
      child.send(question)
      const [value] = await answer
      return value
    },
  }
}
