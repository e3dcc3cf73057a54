import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { isListening } from '../../server/test/free-port.ts'

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]]

/** Starts a program, and resolves when it listens on the loopback port. Disposal ends all of its processes. */
export const startProcess = async (
  [program, ...args]: Command,
  { port, ...options }: SpawnOptions & { readonly port: number },
): Promise<AsyncDisposable> => {
  const stdio = process.env.DEBUG ? 'inherit' : 'ignore'
  // Uses a separate process group, because some programs start others.
  const child = spawn(program, args, { stdio, ...options, detached: true })
  const ended = once(child, 'close')
  const kill = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  const stop = async (): Promise<void> => {
    process.off('exit', kill)
    try {
      kill()
    } catch {
      // It has already ended.
    }
    await ended
  }
  process.on('exit', kill)
  const endsAt = Date.now() + 30_000
  while (!(await isListening(port))) {
    if (child.exitCode === null && Date.now() < endsAt) await sleep(50)
    else {
      await stop()
      throw new Error(`${program} does not listen on port ${port}. DEBUG=1 shows its output.`)
    }
  }
  return { [Symbol.asyncDispose]: stop }
}
