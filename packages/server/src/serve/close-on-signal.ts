import { constants } from 'node:os'
import type { RunningServer } from './start-server.ts'

/** The signals that ask a process to end. */
export const signals = ['SIGTERM', 'SIGINT'] as const

/**
 * Closes a server when the process receives SIGTERM, after draining it, or SIGINT. A second signal ends the process
 * immediately.
 *
 * @returns the signal, once the server is closed.
 * @example
 * const server = await startServer(loadConfig())
 * await closeOnSignal(server)
 * process.exit(0)
 */
export const closeOnSignal = (
  server: Pick<RunningServer, 'close'> & Partial<Pick<RunningServer, 'drain'>>,
): Promise<NodeJS.Signals> =>
  new Promise((resolve, reject) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      // Restores the default action, so that a second signal ends a process whose shutdown hangs.
      for (const each of signals) process.off(each, onSignal)
      // Linux ignores signals to the first process of a container that have their default action, so this ends it.
      if (process.pid === 1) {
        for (const each of signals) process.on(each, () => process.exit(128 + constants.signals[each]))
      }
      // A person at a keyboard does not wait for a load balancer.
      const drained = signal === 'SIGTERM' ? server.drain?.() : undefined
      Promise.resolve(drained)
        .then(() => server.close())
        .then(() => resolve(signal), reject)
    }
    for (const signal of signals) process.on(signal, onSignal)
  })
