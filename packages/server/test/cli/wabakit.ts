import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, vi } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { bundles } from '../bundle-processes.ts'

/** The arguments of Node.js that run the command line. */
export const command: readonly string[] = [bundles.command]

/** The same from the sources, which load what the package loads, file by file. */
export const sourceCommand: readonly string[] = [
  '--conditions=@wabakit/source',
  resolve(import.meta.dirname, '../../src/cli/main.ts'),
]

const processes = new Set<ChildProcess>()

/** The test file's folder, in which commands run. */
export const folder = mkdtempSync(join(tmpdir(), 'wabakit-cli-'))

afterAll(() => {
  for (const child of processes) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

type Options = {
  readonly env?: NodeJS.ProcessEnv
  readonly input?: string
  readonly cwd?: string
  readonly program?: readonly string[]
}

const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^WABAKIT_|COLOR/.test(name)),
)

const spawnWabakit = (args: readonly string[], { env = {}, cwd = folder, program = command }: Options) => {
  const child = spawn(process.execPath, [...program, ...args], {
    cwd,
    env: { ...inherited, ...env },
  })
  processes.add(child)
  const ended = new Promise<number | NodeJS.Signals | null>((end) => {
    child.on('close', (code, signal) => {
      processes.delete(child)
      end(code ?? signal)
    })
  })
  return { child, ended }
}

let turn: Promise<unknown> = Promise.resolve()

/** Runs a command in this process, like {@link wabakit}, in a tenth of the time. Commands take turns, because they share its output. */
export const wabakitHere = (args: readonly string[], options: Omit<Options, 'program'> = {}) => {
  const result = turn.then(() => runHere(args, options))
  turn = result.catch(() => {})
  return result
}

const runHere = async (
  args: readonly string[],
  { env = {}, cwd = folder, input = '' }: Omit<Options, 'program'>,
) => {
  const written = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      written[name] += chunk
      return true
    }),
  )
  const { exitCode, env: environment } = process
  const [folderBefore, stdin] = [process.cwd(), Object.getOwnPropertyDescriptor(process, 'stdin')]
  process.chdir(cwd)
  process.exitCode = undefined
  process.env = { ...inherited, ...env }
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([Buffer.from(input)]) })
  try {
    await run(args)
    return { code: Number(process.exitCode ?? 0), ...written }
  } finally {
    for (const spy of spies) spy.mockRestore()
    if (stdin !== undefined) Object.defineProperty(process, 'stdin', stdin)
    process.env = environment
    process.exitCode = exitCode
    process.chdir(folderBefore)
  }
}

/** Runs a command in another process until it exits. */
export const wabakit = async (args: readonly string[], options: Options = {}) => {
  const { child, ended } = spawnWabakit(args, options)
  child.stdin.end(options.input)
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  return { code, stdout, stderr }
}

/** Starts a command that runs until it receives a signal. */
export const startWabakit = (args: readonly string[], options: Options = {}) => {
  const { child, ended } = spawnWabakit(args, options)
  const lines: string[] = []
  const waiting = new Set<() => void>()
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line)
    for (const look of waiting) look()
  })
  let complaints = ''
  const following = new Promise<void>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      complaints += chunk
      if (complaints.includes('Following ')) resolve()
    })
  })
  return {
    lines,
    ended,
    /** Resolves when `events tail` has opened its stream. */
    following,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Returns what it has written to standard error. */
    complaints: (): string => complaints,
    /** Resolves to the first matching line, past or future. Rejects if the process ends without one. */
    line: (pattern: RegExp): Promise<string> =>
      new Promise((found, reject) => {
        const look = (): void => {
          const line = lines.find((each) => pattern.test(each))
          if (line === undefined) return
          waiting.delete(look)
          found(line)
        }
        waiting.add(look)
        look()
        ended.then((code) => reject(new Error(`ended with ${code}: ${complaints}`)))
      }),
  }
}

/** The first line printed by a server. */
export type Ready = {
  readonly url: string
  readonly database: string
  readonly demo: {
    readonly organizationId: string
    readonly wabaNumber: string
    readonly pstnNumber: string
    readonly apiKey?: string
    readonly webhookSecret?: string
  }
}

/** Starts a server on a free port, in memory unless `args` specify otherwise. */
export const startServer = async (args: readonly string[] = [], options: Options = {}) => {
  const started = startWabakit(
    ['serve', '--port', '0', '--database', ':memory:', '--log-level', 'error', '--format', 'json', ...args],
    options,
  )
  const ready: Ready = JSON.parse(await started.line(/"ready":true/))
  return { ...started, ready }
}
