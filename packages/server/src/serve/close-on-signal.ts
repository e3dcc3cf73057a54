import type { RunningServer } from './start-server.ts'

/** The signals that ask a process to end. */
export const signals = ['SIGTERM', 'SIGINT'] as const

/**
 * Closes a server when the process receives SIGTERM or SIGINT. A second signal ends the process immediately.
 *
 * @returns the signal, once the server is closed.
 * @example
 * const server = await startServer(loadConfig())
 * await closeOnSignal(server)
 * process.exit(0)
 */
export const closeOnSignal = (server: Pick<RunningServer, 'close'>): Promise<NodeJS.Signals> =>
  new Promise((resolve, reject) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      // Restores the default action, so that a second signal ends a process whose shutdown hangs.
      for (const each of signals) process.off(each, onSignal)
      server.close().then(() => resolve(signal), reject)
    }
    for (const signal of signals) process.on(signal, onSignal)
  })
