import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Fleet, Member } from './fleet.ts'

/**
 * Maximum time for a response, in milliseconds, excluding the times in which the process or this one waited for a
 * processor.
 */
const patienceMs = 2_000

const pauseMs = 500

/** Watches a fleet. */
export type Watchdog = {
  /** Stops watching. Resolves to the failures. */
  stop(): Promise<readonly string[]>
}

/**
 * Returns how long the main thread of a process has waited for a processor, in milliseconds; 0 where it is not known. Only
 * Linux counts it. JavaScript runs on the main thread, so other threads do not delay a response.
 */
const readQueuedMs = (pid: number): number => {
  try {
    const [, queuedNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
    return Number(queuedNs) / 1e6
  } catch {
    return 0
  }
}

/**
 * Returns a function that returns the elapsed time, in milliseconds, minus the times in which either process
 * waited for a processor.
 */
const measureChance = (pid: number): (() => number) => {
  const read = (): number => performance.now() - readQueuedMs(pid) - readQueuedMs(process.pid)
  const start = read()
  return () => read() - start
}

/**
 * Requests `/healthz` and `/metrics` from every running process of a fleet, twice a second. A process that spins or blocks loses no
 * data, so the checker would not notice it.
 */
export const watchFleet = ({ members }: Pick<Fleet, 'members'>): Watchdog => {
  const stopping = new AbortController()
  const failures: string[] = []

  const probe = async (member: Member): Promise<void> => {
    const url = member.activeUrl()
    if (url === undefined) return
    const isActive = (): boolean => member.activeUrl() === url && !stopping.signal.aborted
    const getChance = measureChance(member.pid())
    const ending = new AbortController()
    let isPending = true
    // A refused connection also ends the wait: the process has ended or is stopping.
    const response = fetch(`${url}/healthz`, { signal: ending.signal })
      .then((received) => received.text())
      .catch(() => {})
      .finally(() => {
        isPending = false
      })
    while (isPending && isActive()) {
      if (getChance() >= patienceMs) {
        failures.push(`${member.name()} did not respond to /healthz within ${patienceMs} ms`)
        break
      }
      await Promise.race([response, setTimeout(50)])
    }
    ending.abort()
    if (!isActive()) return
    await fetch(`${url}/metrics`, { signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(5_000)]) })
      .then((received) => received.arrayBuffer())
      .catch(() => {})
  }

  const watching = members.map(async (member) => {
    while (!stopping.signal.aborted) {
      await probe(member)
      await setTimeout(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(watching)
      return failures
    },
  }
}
