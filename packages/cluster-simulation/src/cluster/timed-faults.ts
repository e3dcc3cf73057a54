import { isCallFault, type TimedFault } from '../plan.ts'
import type { Cluster } from './servers.ts'

export const describeFault = (fault: TimedFault): string => {
  switch (fault.fault) {
    case 'kill':
      return `${fault.server} is killed and restarts after ${fault.forMs} ms`
    case 'stop':
      return `${fault.server} is stopped and restarts after ${fault.forMs} ms`
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

/** Returns the functions that start and end a fault. */
const toSteps = (
  fault: TimedFault,
  { servers, engine, endpoints }: Cluster,
): readonly [begin: () => void, end: () => void] => {
  switch (fault.fault) {
    case 'kill':
      return [() => servers.kill(fault.server), () => servers.start(fault.server)]
    case 'stop':
      return [() => servers.stop(fault.server, fault.forMs), () => {}]
    case 'pause':
      return [() => servers.pause(fault.server), () => servers.resume(fault.server)]
    case 'end the session': {
      let begin = (): void => {}
      return [
        () => {
          begin = engine.endSession?.(fault.server) ?? begin
        },
        () => begin(),
      ]
    }
    case 'no renewals':
      return [
        () => engine.setRenewable?.(fault.server, false),
        () => engine.setRenewable?.(fault.server, true),
      ]
    case 'step the clock':
      return [
        () => servers.stepClock(fault.server, fault.byMs),
        () => servers.stepClock(fault.server, -fault.byMs),
      ]
    case 'store unavailable':
      return [() => engine.setAvailable(false), () => engine.setAvailable(true)]
    case 'kill the receiver':
      return [() => endpoints.get(fault.endpoint)?.kill(), () => endpoints.get(fault.endpoint)?.start()]
    case 'endpoint': {
      const endpoint = endpoints.get(fault.endpoint)
      return [
        () => endpoint?.behave(fault.behavior, fault.retryAfter),
        () => endpoint?.behave(undefined, null),
      ]
    }
  }
}

/** Schedules the timed faults of a plan. All of them end before the calm. */
export const scheduleFaults = (cluster: Cluster): void => {
  const { scheduler, note } = cluster
  const { faults, calmAt } = cluster.plan
  for (const fault of faults) {
    if (isCallFault(fault)) continue
    const [begin, end] = toSteps(fault, cluster)
    let hasBegun = false
    scheduler.schedule({ delayMs: fault.at, label: fault.fault }, () => {
      if (scheduler.now() >= calmAt) return
      note(describeFault(fault))
      hasBegun = true
      begin()
    })
    const delayMs = Math.min(calmAt, fault.at + fault.forMs)
    scheduler.schedule({ delayMs, label: `end: ${fault.fault}` }, () => {
      if (hasBegun) end()
    })
  }
}
