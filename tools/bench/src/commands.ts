import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:net'
import { fileURLToPath } from 'node:url'

/** The commands of a child process. Each one takes a number and returns a serializable value. */
export type Commands = Readonly<Record<string, (argument: number) => unknown>>

/** Serves commands in a child process. First sends a message to the parent process, such as the URL of a server. */
export const serveCommands = (commands: Commands, readyMessage = ''): void => {
  process.on('message', async ({ command, argument }: { command: string; argument: number }) => {
    process.send?.({ result: await commands[command]?.(argument) })
  })
  process.once('disconnect', () => process.exit())
  if (process.send === undefined) console.log(readyMessage)
  else process.send({ result: readyMessage })
}

/** Starts a server on a free loopback port. Returns its URL. */
export const listen = async (server: Server): Promise<string> => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return `http://127.0.0.1:${address.port}`
}

export type Child = Awaited<ReturnType<typeof startChild>>

/** Runs the file at a URL in a child process that serves commands, and waits for its first message. */
export const startChild = async (file: string, ...options: readonly string[]) => {
  const child = fork(fileURLToPath(file), options, { execArgv: ['--conditions=@wabakit/source'] })
  const pending: PromiseWithResolvers<unknown>[] = []
  const waitForResult = (): Promise<unknown> => {
    const result = Promise.withResolvers<unknown>()
    pending.push(result)
    return result.promise
  }
  child.on('message', (message: { result: unknown }) => pending.shift()?.resolve(message.result))
  child.on('exit', (code, signal) => {
    for (const { reject } of pending) reject(new Error(`${file} exited with ${signal ?? code}.`))
  })
  /** The first message of the process. */
  const readyMessage = String(await waitForResult())
  return {
    readyMessage,
    pid: child.pid ?? 0,
    command: async (command: string, argument = 0): Promise<number> => {
      const result = waitForResult()
      child.send({ command, argument })
      return Number(await result)
    },
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    close: () => child.kill('SIGKILL'),
  }
}
