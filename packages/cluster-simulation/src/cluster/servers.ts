import {
  type Clock,
  createIds,
  createReferenceServer,
  type DeliveryFetch,
  type ReferenceServer,
  type Store,
} from '@wabakit/core'
import type { Engine, StoreUser } from '../engines/engine.ts'
import { createOwner } from '../virtual/scheduler.ts'
import { getTrueTime, type RunContext } from './run-context.ts'

/** A process that serves requests and, unless the plan excludes it, delivers. */
export type Server = {
  readonly name: string
  readonly user: StoreUser
  readonly service: ReferenceServer
  readonly store: Store
  readonly clock: Clock
}

/** The processes of a cluster. */
export type Servers = {
  /** Returns a running server, if possible the one with this name. */
  find(wanted?: string): Server | undefined
  /** Returns whether a server is running and not paused. */
  isRunning(name: string): boolean
  /**
   * Returns how far clocks are behind, in milliseconds: a clock that is set back while its server is down loses that
   * time.
   */
  getLostMs(): number
  start(name: string): void
  /** Kills the process immediately. */
  kill(name: string): void
  /** Stops the process as SIGTERM does, and restarts it after `forMs` milliseconds. */
  stop(name: string, forMs: number): void
  pause(name: string): void
  resume(name: string): void
  stepClock(name: string, byMs: number): void
  /** Starts and resumes all servers, and corrects their clocks. */
  heal(): void
}

export type ServersContext = RunContext & {
  readonly engine: Engine
  connect(user: StoreUser): DeliveryFetch
  /** Called when a server dies or stops, to close its connections. */
  onEnd(server: Server): void
}

export const createServers = (context: ServersContext): Servers => {
  const { plan, draws, scheduler, engine, observe } = context
  const running = new Map<string, Server>()
  const offsets = new Map<string, number>()
  const starting = new Set<string>()
  const operator = createOwner('operator')

  const start = (name: string): void => {
    if (running.has(name) || starting.has(name)) return
    starting.add(name)
    const user: StoreUser = {
      name,
      owner: createOwner(name),
      wall: () => getTrueTime(context) + (offsets.get(name) ?? 0),
      elapsed: scheduler.now,
    }
    // The server starts in a task of its process, which then owns everything the server starts.
    scheduler.schedule({ owner: user.owner, delayMs: 0, label: 'start' }, () => {
      const { store, clock } = engine.open(user)
      const random = draws.stream(`${name} at ${scheduler.now()}`)
      const service = createReferenceServer({
        store,
        clock,
        random,
        ids: createIds({ clock, random }),
        fetch: context.connect(user),
        rateLimit: false,
        delivery: { pollMs: plan.pollMs, sharesFairly: plan.sharesFairly },
        onError: (error) => observe({ kind: 'rejection', server: name, error }),
      })
      starting.delete(name)
      context.noteTrouble(0)
      running.set(name, { name, user, service, store, clock })
      if (plan.servers.find((each) => each.name === name)?.delivers) service.dispatcher.start()
    })
  }

  const end = (server: Server): void => {
    running.delete(server.name)
    server.user.owner.state = 'ended'
    observe({ kind: 'server ended', server: server.name })
    context.onEnd(server)
    engine.abandon(server.user)
  }

  const resume = ({ name, user: { owner } }: Server): void => {
    if (owner.state === 'paused') observe({ kind: 'goes on', server: name })
    scheduler.resume(owner)
  }

  return {
    start,
    isRunning: (name) => running.get(name)?.user.owner.state === 'running',
    getLostMs: () =>
      Math.max(0, ...Array.from(running.values(), ({ clock }) => getTrueTime(context) - clock.now())),
    find: (wanted) => {
      const found = wanted === undefined ? undefined : running.get(wanted)
      return found ?? [...running.values()].find(({ user }) => user.owner.state === 'running')
    },
    kill: (name) => {
      const server = running.get(name)
      if (server !== undefined) end(server)
    },
    stop: (name, forMs) => {
      const server = running.get(name)
      if (server === undefined || server.user.owner.state !== 'running') return
      scheduler.schedule({ owner: server.user.owner, delayMs: 0, label: 'stop' }, () => {
        void server.service.dispatcher.stop({ graceMs: 2_000 }).then(async () => {
          await server.store.close()
          end(server)
          const delayMs = Math.min(forMs, plan.calmAt - scheduler.now())
          scheduler.schedule({ owner: operator, delayMs, label: 'start' }, () => start(name))
        })
      })
    },
    pause: (name) => {
      const owner = running.get(name)?.user.owner
      if (owner?.state !== 'running') return
      owner.state = 'paused'
      observe({ kind: 'stands still', server: name })
    },
    resume: (name) => {
      const server = running.get(name)
      if (server !== undefined) resume(server)
    },
    stepClock: (name, byMs) => {
      offsets.set(name, (offsets.get(name) ?? 0) + byMs)
    },
    heal: () => {
      offsets.clear()
      context.noteTrouble(0)
      for (const server of running.values()) resume(server)
      for (const { name } of plan.servers) start(name)
    },
  }
}
