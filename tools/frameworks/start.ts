import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../packages/server/test/free-port.ts'
import type { Framework } from './frameworks.ts'

/** A started example. */
export type Started = {
  readonly port: number
  /** Returns its output so far. */
  readonly readOutput: () => string
  readonly stop: () => Promise<void>
}

/** The environment of a user's shell, without the variables that npm and this repository set. */
const cleanEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:npm_|NODE_|WABAKIT_|WEBHOOK_|VITEST|PORT$)/.test(name),
    ),
  )

const accepts = async (port: number): Promise<boolean> => {
  for (const host of ['127.0.0.1', '::1']) {
    const socket = connect({ port, host })
    try {
      await once(socket, 'connect')
      return true
    } catch {
    } finally {
      socket.destroy()
    }
  }
  return false
}

/** Runs a script of the example's package.json, and resolves to its output when it has ended. */
export const runScript = async (folder: string, script: string): Promise<string> => {
  const child = spawn('npm', ['run', '--silent', script], {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collectOutput(child)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`npm run ${script} ended with ${code}:\n${output()}`)
  return output()
}

const collectOutput = (child: ChildProcess): (() => string) => {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk
    })
  return () => output
}

/** Starts the example in a folder, and resolves when the port accepts connections. */
export const startExample = async (
  folder: string,
  { secret, command }: { secret: string; command: Framework['command'] },
): Promise<Started> => {
  const port = await findFreePort()
  const [file, ...args] = command?.(port, secret) ?? ['npm', 'start', '--silent']
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...cleanEnvironment(), PORT: `${port}`, WABAKIT_WEBHOOK_SECRET: secret, WEBHOOK_TOKEN: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, so that the server ends together with npm.
    detached: true,
  })
  const readOutput = collectOutput(child)
  const stop = async () => {
    if (child.exitCode !== null || child.pid === undefined) return
    const ended = once(child, 'close')
    process.kill(-child.pid, 'SIGKILL')
    await ended
  }
  const deadline = Date.now() + 60_000
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}:\n${readOutput()}`)
    if (Date.now() > deadline) {
      await stop()
      throw new Error(`Nothing listens on port ${port} after a minute:\n${readOutput()}`)
    }
    await sleep(100)
  }
  return { port, readOutput, stop }
}
