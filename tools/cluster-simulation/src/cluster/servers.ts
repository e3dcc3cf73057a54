import { type Clock, createIds, createReferenceServer, type ReferenceServer, type Store } from '@wabakit/core'
import type { SimulatedEngine, StoreUser } from '../engines/engine.ts'
import { createOwner } from '../virtual/event-loop.ts'
import type { Endpoint } from './endpoints.ts'
import type { RunContext } from './run-context.ts'
import { createWebhookNetwork } from './webhook-network.ts'

/** A process that serves requests. If the plan requires it, the process also delivers. */
export type Server = {
  readonly name: string
  readonly user: StoreUser
  readonly service: ReferenceServer
  readonly store: Store
  readonly clock: Clock
  /** Functions that reset the connections of pending requests. */
  readonly resets: Set<() => void>
}

/**
 * Requests are counted as in production, but no run reaches the limits: a refused request would do nothing else.
 * The buckets are in memory. The torture test covers those in PostgreSQL, whose reserves depend on real time.
 */
const limit = { requests: 1_000_000, perMs: 60_000 }
const rateLimit = { organization: limit, key: limit }

export type Servers = ReturnType<typeof createServers>

export type Cluster = RunContext & {
  readonly engine: SimulatedEngine
  readonly endpoints: ReadonlyMap<string, Endpoint>
  readonly servers: Servers
}

export const createServers = (
  run: RunContext,
  {
    engine,
    endpoints,
  }: { readonly engine: SimulatedEngine; readonly endpoints: ReadonlyMap<string, Endpoint> },
) => {
  const { plan, draws, loop, observe } = run
  const running = new Map<string, Server>()
  /** The current step of each wall clock that is wrong. */
  const steps = new Map<string, { readonly byMs: number }>()
  /** The names of all random streams of processes. */
  const streams = new Set<string>()
  const starting = new Set<string>()
  const operator = createOwner('operator')

  const start = (name: string): void => {
    if (running.has(name) || starting.has(name)) return
    starting.add(name)
    const user: StoreUser = {
      name,
      owner: createOwner(name),
      wall: () => run.now() + (steps.get(name)?.byMs ?? 0),
      elapsed: loop.now,
    }
    // This task belongs to the process, so the process also owns all timers and calls that the server starts.
    loop.schedule({ owner: user.owner, delayMs: 0, label: 'start' }, () => {
      const { store, clock } = engine.open(user)
      // A server may start twice in the same millisecond, and the two processes must not have the same id.
      let stream = `${name} at ${loop.now()}`
      while (streams.has(stream)) stream += ' again'
      streams.add(stream)
      const random = draws.stream(stream)
      const service = createReferenceServer({
        store,
        clock,
        random,
        ids: createIds({ clock, random }),
        fetch: createWebhookNetwork(run, endpoints, user.owner),
        rateLimit,
        delivery: { pollMs: plan.pollMs, sharesFairly: plan.sharesFairly },
        onError: (error) => observe({ kind: 'rejection', server: name, error }),
      })
      starting.delete(name)
      running.set(name, { name, user, service, store, clock, resets: new Set() })
      service.figures.start()
      if (plan.servers.find((each) => each.name === name)?.delivers) service.dispatcher.start()
    })
  }

  const end = (server: Server): void => {
    running.delete(server.name)
    server.user.owner.state = 'ended'
    observe({ kind: 'server ended', server: server.name })
    for (const reset of server.resets) reset()
    engine.abandon(server.user)
  }

  const resume = (name: string): void => {
    const owner = running.get(name)?.user.owner
    if (owner?.state !== 'paused') return
    observe({ kind: 'resumed', server: name })
    loop.resume(owner)
  }

  return {
    start,
    resume,
    /**
     * Returns how many milliseconds the slowest clock is behind. A clock falls behind if it is set back while its
     * server is down.
     */
    getLostMs: (): number =>
      Math.max(0, ...Array.from(running.values(), ({ clock }) => run.now() - clock.now())),
    /** Returns the server with this name or, if it is not running, any other running server. */
    find: (wanted?: string): Server | undefined => {
      const found = wanted === undefined ? undefined : running.get(wanted)
      return found ?? [...running.values()].find(({ user }) => user.owner.state === 'running')
    },
    kill: (name: string): void => {
      const server = running.get(name)
      if (server !== undefined) end(server)
    },
    /** Stops a process as SIGTERM does, and restarts it `forMs` milliseconds later. */
    stop: (name: string, forMs: number): void => {
      const server = running.get(name)
      if (server === undefined || server.user.owner.state !== 'running') return
      loop.schedule({ owner: server.user.owner, delayMs: 0, label: 'stop' }, () => {
        void server.service.dispatcher.stop({ graceMs: 2_000 }).then(async () => {
          await server.service.figures.stop()
          await server.store.close()
          end(server)
          const delayMs = Math.min(forMs, plan.calmAt - loop.now())
          loop.schedule({ owner: operator, delayMs, label: 'start' }, () => start(name))
        })
      })
    },
    pause: (name: string): void => {
      const owner = running.get(name)?.user.owner
      if (owner?.state !== 'running') return
      owner.state = 'paused'
      observe({ kind: 'paused', server: name })
    },
    /** Steps a wall clock. The step replaces an earlier one. Returns a function that corrects it. */
    stepClock: (name: string, byMs: number): (() => void) => {
      const step = { byMs }
      steps.set(name, step)
      return () => {
        if (steps.get(name) === step) steps.delete(name)
      }
    },
    /** Corrects all clocks, resumes paused servers, and starts servers that are down. */
    heal: (): void => {
      steps.clear()
      for (const name of running.keys()) resume(name)
      for (const { name } of plan.servers) start(name)
    },
  }
}
