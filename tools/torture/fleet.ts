import { join } from 'node:path'
import type { Role } from './engine.ts'
import { type EndLine, openLines, readMonotonic } from './lines.ts'
import type { Random } from './random.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** A process of a fleet. It can be ended and restarted. */
export type Member = {
  readonly role: Role
  /** Returns the process's name in the database, which changes at each start. */
  readonly name: () => string
  /** Returns the URL, or `undefined` before the process is ready and after it has ended. */
  readonly url: () => string | undefined
  /** Returns the URL while the process is expected to respond: it is ready, not paused and not being ended. */
  readonly activeUrl: () => string | undefined
  readonly isRunning: () => boolean
  /** Returns the process id. */
  readonly pid: () => number
  /** Starts the process, optionally with an additional module. Resolves when it is ready. */
  start(module?: string): Promise<void>
  /** Sends a signal and resolves to the exit code (`null` if a signal ended the process). */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
  pause(): void
  resume(): void
  /** Sends a question to a preloaded module. */
  ask(question: string): Promise<number>
}

/** The processes that serve an environment. */
export type Fleet = {
  readonly members: readonly Member[]
  /** The names of all processes so far. */
  readonly names: readonly string[]
  /** Returns a random process, with a role if one is given. */
  pick(role?: Role): Member
  /** Returns the URL of a process that responds to requests, or `undefined` if none is ready. */
  readyUrl(): string | undefined
  /** Returns such a URL, or the last known one if no process is ready. */
  url(): string
}

export type FleetOptions = {
  readonly roles: readonly Role[]
  readonly random: Random
  /** The server's configuration file. */
  readonly config: string
  /** Path of the file that records attempts. */
  readonly attempts: string
  /** Path of the file that records kills and other ends of processes. */
  readonly ends: string
  /** Folder for the log of each process. */
  readonly logs: string
  /** Returns the database address for the process with this name and index. */
  readonly addressFor: (name: string, place: number) => string
  readonly preload: string | undefined
  readonly environment: Readonly<Record<string, string>> | undefined
}

const logAttempts = join(import.meta.dirname, 'preload/log-attempts.ts')

/** Creates a fleet without starting its processes. */
export const createFleet = ({
  roles,
  random,
  config,
  attempts,
  ends,
  logs,
  addressFor,
  preload,
  environment,
}: FleetOptions): Fleet => {
  const names: string[] = []
  const lines = openLines<EndLine>(ends)
  const noteEnd = (process: string, isKilled: boolean): void =>
    lines.append({ process, isKilled, at: Date.now(), monotonic: readMonotonic() })
  let lastUrl = ''

  const createMember = (role: Role, place: number): Member => {
    let process: ServerProcess | undefined
    let url: string | undefined
    let isPaused = false
    let name = ''
    const running = (): ServerProcess => {
      if (process === undefined) throw new Error('The process was never started.')
      return process
    }
    return {
      role,
      name: () => name,
      url: () => url,
      activeUrl: () => (isPaused ? undefined : url),
      isRunning: () => process?.isRunning() ?? false,
      pid: () => running().pid,
      start: async (module = preload) => {
        isPaused = false
        const ownName = `${role}-${place}.${names.length}`
        name = ownName
        names.push(name)
        const own = {
          WABAKIT_ROLE: role,
          WABAKIT_DATABASE: addressFor(name, place),
          WABAKIT_PROCESS: name,
          WABAKIT_ATTEMPTS: attempts,
        }
        const started = startServerProcess({
          config,
          log: join(logs, `${ownName}.log`),
          preloads: module === undefined ? [logAttempts] : [logAttempts, module],
          environment: { ...environment, ...own },
        })
        process = started
        void started.exited.then(() => {
          noteEnd(ownName, false)
          if (process === started) url = undefined
        })
        const readyAt = await started.ready
        if (!started.isRunning()) return
        url = readyAt
        if (role !== 'worker') lastUrl = readyAt
      },
      end: async (signal) => {
        url = undefined
        if (signal === 'SIGKILL') noteEnd(name, true)
        return (await process?.end(signal)) ?? null
      },
      pause: () => {
        isPaused = true
        running().pause()
      },
      resume: () => {
        running().resume()
        isPaused = false
      },
      ask: (question) => running().ask(question),
    }
  }
  const members = roles.map(createMember)

  const choose = (from: readonly Member[]): Member => {
    const member = from[random.between(0, from.length - 1)]
    if (member === undefined) throw new Error('There is no such process.')
    return member
  }
  const readyUrl = (): string | undefined => {
    const ready = members.filter((member) => member.role !== 'worker' && member.url() !== undefined)
    return ready.length === 0 ? undefined : choose(ready).url()
  }
  return {
    members,
    names,
    pick: (role) => choose(members.filter((member) => role === undefined || member.role === role)),
    readyUrl,
    url: () => readyUrl() ?? lastUrl,
  }
}
