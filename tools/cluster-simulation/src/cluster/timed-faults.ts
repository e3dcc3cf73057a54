import { isCallFault, type TimedFault } from '../plan.ts'
import type { Cluster } from './servers.ts'

export const describeFault = (fault: TimedFault): string => {
  switch (fault.fault) {
    case 'kill':
    case 'stop':
      return `${fault.server} is ${fault.fault === 'kill' ? 'killed' : 'stopped'} and restarts after ${fault.forMs} ms`
    case 'pause':
      return `${fault.server} is paused for ${fault.forMs} ms`
    case 'end the session':
      return `${fault.server} loses the session that registers it as a worker and gets a new one after ${fault.forMs} ms`
    case 'no renewals':
      return `${fault.server} cannot renew its lease for ${fault.forMs} ms`
    case 'step the clock':
      return `the wall clock of ${fault.server} is stepped by ${fault.byMs} ms for ${fault.forMs} ms`
    case 'store unavailable':
      return `the store is unavailable for ${fault.forMs} ms`
    case 'kill the receiver':
      return `the receiver of ${fault.endpoint} is killed and restarts after ${fault.forMs} ms`
    case 'endpoint': {
      const { behavior, retryAfter, endpoint, forMs } = fault
      const how = typeof behavior === 'number' ? `responds with ${behavior}` : behavior
      const after = retryAfter === null ? '' : ` and Retry-After: ${retryAfter}`
      return `${endpoint} ${how}${typeof behavior === 'number' ? after : ''} for ${forMs} ms`
    }
  }
}

/** Starts a fault. Returns a function that ends it. */
const begin = (fault: TimedFault, { servers, engine, endpoints }: Cluster): (() => void) | undefined => {
  switch (fault.fault) {
    case 'kill':
      servers.kill(fault.server)
      return () => servers.start(fault.server)
    case 'stop':
      servers.stop(fault.server, fault.forMs)
      return undefined
    case 'pause':
      servers.pause(fault.server)
      return () => servers.resume(fault.server)
    case 'end the session':
      return engine.endSession?.(fault.server)
    case 'no renewals':
      engine.setRenewable?.(fault.server, false)
      return () => engine.setRenewable?.(fault.server, true)
    case 'step the clock':
      return servers.stepClock(fault.server, fault.byMs)
    case 'store unavailable':
      engine.setAvailable(false)
      return () => engine.setAvailable(true)
    case 'kill the receiver':
      endpoints.get(fault.endpoint)?.kill()
      return () => endpoints.get(fault.endpoint)?.start()
    case 'endpoint':
      endpoints.get(fault.endpoint)?.behave(fault)
      return () => endpoints.get(fault.endpoint)?.behave(undefined)
  }
}

/** Schedules the timed faults of a plan. All of them end before the calm. */
export const scheduleFaults = (cluster: Cluster): void => {
  const { loop, note } = cluster
  const { faults, calmAt } = cluster.plan
  for (const fault of faults) {
    if (isCallFault(fault)) continue
    let end: (() => void) | undefined
    loop.schedule({ delayMs: fault.at, label: fault.fault }, () => {
      if (loop.now() >= calmAt) return
      note(describeFault(fault))
      end = begin(fault, cluster)
    })
    const delayMs = Math.min(calmAt, fault.at + fault.forMs)
    loop.schedule({ delayMs, label: `end: ${fault.fault}` }, () => end?.())
  }
}
