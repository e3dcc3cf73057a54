import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A server in its own process. */
export type ServerChild = {
  readonly url: string
  /** CPU time of the process in microseconds, if it reports it. */
  cpuTime(): Promise<number | undefined>
  close(): void
}

/** Starts one of the servers in `server-process.ts`. */
export const startServerProcess = async (name: string): Promise<ServerChild> => {
  const child = fork(fileURLToPath(import.meta.resolve('./server-process.ts')), [name], {
    execArgv: ['--conditions=@wabakit/source'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (child.stdout === null) throw new Error('The server has no output.')
  const [url] = await once(createInterface(child.stdout), 'line')
  return {
    url,
    cpuTime: async () => {
      const message = once(child, 'message')
      child.send('cpu')
      return Number((await message)[0])
    },
    close: () => child.kill('SIGKILL'),
  }
}

const isListening = async (url: string): Promise<boolean> => {
  try {
    await (await fetch(url)).text()
    return true
  } catch {
    return false
  }
}

/** Runs a command that starts a server, and waits until its URL responds. */
export const startCommand = async (command: readonly string[], url: string): Promise<ServerChild> => {
  const [file = '', ...options] = command
  const child: ChildProcess = spawn(file, options, { stdio: 'ignore' })
  const deadline = Date.now() + 60_000
  while (!(await isListening(url))) {
    if (Date.now() > deadline || child.exitCode !== null)
      throw new Error(`${command.join(' ')} did not start.`)
    await new Promise((done) => setTimeout(done, 100))
  }
  return { url, cpuTime: async () => undefined, close: () => child.kill('SIGKILL') }
}
