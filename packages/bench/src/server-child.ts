import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A server in another process. */
export type ServerChild = {
  readonly url: string
  /** CPU time that it has used, in microseconds; `undefined` where it cannot tell. */
  cpuTime(): Promise<number | undefined>
  close(): void
}

/** Starts one of the servers of `server-process.ts`. */
export const startServerProcess = async (name: string): Promise<ServerChild> => {
  const child = fork(fileURLToPath(import.meta.resolve('./server-process.ts')), [name], {
    execArgv: ['--conditions=@wabakit/source'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (child.stdout === null) throw new Error('no output')
  const [url] = await once(createInterface(child.stdout), 'line')
  return {
    url,
    cpuTime: async () => {
      const answer = once(child, 'message')
      child.send('cpu')
      return Number((await answer)[0])
    },
    close: () => child.kill('SIGKILL'),
  }
}

const answers = async (url: string): Promise<boolean> => {
  try {
    await (await fetch(url)).text()
    return true
  } catch {
    return false
  }
}

/** Starts a command that will listen on a port of its own choice, and waits until it does. */
export const startCommand = async (command: readonly string[], url: string): Promise<ServerChild> => {
  const [file = '', ...options] = command
  const child: ChildProcess = spawn(file, options, { stdio: 'ignore' })
  const deadline = Date.now() + 60_000
  while (!(await answers(url))) {
    if (Date.now() > deadline || child.exitCode !== null)
      throw new Error(`${command.join(' ')} did not start`)
    await new Promise((done) => setTimeout(done, 100))
  }
  return { url, cpuTime: async () => undefined, close: () => child.kill('SIGKILL') }
}
