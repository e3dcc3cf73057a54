import type { RunContext } from '../../cluster/run-context.ts'
import type { StoreUser } from '../engine.ts'

/** A connection that listens, as PostgreSQL sees it. */
export type Session = {
  readonly user: StoreUser
  readonly channels: Set<string>
  /** The number of the worker that is registered by this session. */
  worker: number | undefined
  isOpen: boolean
  /** Receives a notification. */
  notify(channel: string, payload: string): void
  /** Learns that the connection is gone. */
  lose(): void
}

type Handler = (value?: unknown) => void

/** A client of `pg`, as far as the listening connection uses it. */
export type SimulatedClient = {
  connect(): Promise<void>
  on(name: 'error' | 'end' | 'notification', handler: Handler): void
  query(sql: string): Promise<{ readonly rows: readonly unknown[] }>
  end(): Promise<void>
}

export type SessionsOptions = {
  isAvailable(): boolean
  /** Registers a session as a worker's. Returns the number. */
  register(session: Session): number
  unregister(session: Session): void
}

/** The listening connections of all servers. */
export const createSessions = ({ scheduler, travel }: RunContext, options: SessionsOptions) => {
  const sessions = new Set<Session>()

  const close = (session: Session): void => {
    options.unregister(session)
    session.isOpen = false
    sessions.delete(session)
  }

  const createClient = (user: StoreUser): SimulatedClient => {
    const handlers = new Map<string, Handler>()
    const call = (name: string, value?: unknown): void => handlers.get(name)?.(value)
    const session: Session = {
      user,
      channels: new Set(),
      worker: undefined,
      isOpen: false,
      notify: (channel, payload) => {
        const delayMs = travel(`notify ${user.name}`, 10)
        scheduler.schedule({ owner: user.owner, delayMs, label: 'notification' }, () => {
          if (session.isOpen) call('notification', { channel, payload })
        })
      },
      lose: () => {
        close(session)
        const delayMs = travel(`${user.name} notices`, 100)
        scheduler.schedule({ owner: user.owner, delayMs, label: 'connection lost' }, () =>
          call('error', new Error('terminated')),
        )
      },
    }

    /** Sends a statement, and waits for its result. */
    const send = <Result>(label: string, execute: () => Result): Promise<Result> =>
      new Promise((resolve, reject) => {
        const back = (settle: () => void): void => {
          const delayMs = travel(`${user.name} session`, 2)
          scheduler.schedule({ owner: user.owner, delayMs, label: `session: ${label}` }, settle)
        }
        const delayMs = travel(`${user.name} to session`, 2)
        scheduler.schedule({ owner: { name: 'store', state: 'running', held: [] }, delayMs, label }, () => {
          // The client has gone.
          if (user.owner.state === 'ended') return
          if (!options.isAvailable() || (label !== 'connect' && !session.isOpen)) {
            return back(() => reject(new Error('the connection failed')))
          }
          const result = execute()
          back(() => resolve(result))
        })
      })

    return {
      on: (name, handler) => void handlers.set(name, handler),
      connect: () =>
        send('connect', () => {
          session.isOpen = true
          sessions.add(session)
        }),
      query: (sql) =>
        send(sql.trim().slice(0, 30), () => {
          const [, channel] = /^LISTEN (\w+)$/.exec(sql) ?? []
          if (channel !== undefined) session.channels.add(channel)
          if (sql.includes('registered')) return { rows: [{ number: options.register(session), backend: 1 }] }
          if (sql.includes('unlock_all')) options.unregister(session)
          return { rows: [] }
        }),
      end: async () => close(session),
    }
  }

  return {
    createClient,
    /** Sends a notification to all who listen. */
    notifyAll: (channel: string, payload: string): void => {
      for (const session of sessions) if (session.channels.has(channel)) session.notify(channel, payload)
    },
    /** Ends the sessions of a server, which notices if it lives. */
    end: (server: string): void => {
      for (const session of [...sessions]) if (session.user.name === server) session.lose()
    },
  }
}
