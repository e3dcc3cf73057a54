import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** What a child process does for its parent: each takes a number and gives what can be sent. */
export type Commands = Readonly<Record<string, (argument: number) => unknown>>

/** Serves commands in a child process, after it has told its parent something, such as its URL. */
export const serveCommands = (commands: Commands, greeting = ''): void => {
  process.on('message', async ({ command, argument }: { command: string; argument: number }) => {
    process.send?.({ answer: await commands[command]?.(argument) })
  })
  process.once('disconnect', () => process.exit())
  if (process.send === undefined) console.log(greeting)
  else process.send({ answer: greeting })
}

/** A child process that serves commands, one after the other. */
export type Child = {
  readonly pid: number
  /** What it told when it was ready. */
  readonly greeting: string
  command(name: string, argument?: number): Promise<number>
  /** Stops its clock, so to speak, until `resume`: it does nothing, and loses nothing. */
  pause(): void
  resume(): void
  close(): void
}

/** Options of {@link startChild}. */
export type ChildOptions = {
  /** URL of the file to run. */
  readonly file: string
  readonly arguments?: readonly string[]
}

/** Starts a process that serves commands, and waits until it is ready. */
export const startChild = async ({ file, arguments: list = [] }: ChildOptions): Promise<Child> => {
  const child = fork(fileURLToPath(file), list, {
    execArgv: ['--conditions=@wabakit/source'],
  })
  const answers: PromiseWithResolvers<unknown>[] = []
  const answer = (): Promise<unknown> => {
    const awaited = Promise.withResolvers<unknown>()
    answers.push(awaited)
    return awaited.promise
  }
  child.on('message', (message: { answer: unknown }) => answers.shift()?.resolve(message.answer))
  child.on('exit', (code, signal) => {
    for (const { reject } of answers) reject(new Error(`${file} has ended (${signal ?? code})`))
  })
  const greeting = String(await answer())
  return {
    pid: child.pid ?? 0,
    greeting,
    command: async (command, argument = 0) => {
      const answered = answer()
      child.send({ command, argument })
      return Number(await answered)
    },
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    close: () => child.kill('SIGKILL'),
  }
}
