import { organizationId } from '../cluster/organization.ts'
import { isCallFault, type Plan } from '../plan.ts'
import type { Invariant, InvariantContext } from './invariant.ts'

const once = 'nothing is counted twice'
const lost = 'a process loses at most its last counts'

/** A process writes its counts every ten seconds. The rest is the time that a write takes. */
const unwrittenMs = 15_000

const names = ['delivered', 'failed', 'deferred', 'exhausted'] as const
type Name = (typeof names)[number]

/** The names under which a settlement is counted; for other verdicts, `failed`. A refused attempt is not counted. */
const countedAs: Readonly<Record<string, readonly Name[]>> = {
  delivered: ['delivered'],
  deferred: ['deferred'],
  exhausted: ['failed', 'exhausted'],
  refused: [],
}

/** Returns whether counts can be delayed or lost although their process is alive. */
const canDelayWrites = ({ faults, rates }: Plan): boolean => {
  const boundaries = rates === null ? [] : [rates.store, rates.transaction, rates.network]
  return (
    boundaries.some((each) => Object.keys(each).length > 0) ||
    faults.some((fault) =>
      isCallFault(fault) ? !fault.on.startsWith('endpoint') : !/^(?:kill|stop|endpoint)/.test(fault.fault),
    )
  )
}

/**
 * Checks that the figures of the organization count each settlement at most once, and all of them except the last ones
 * of a process that died.
 */
export const createFiguresInvariant = ({ plan, violate, now, hasSeen }: InvariantContext): Invariant => {
  const settled: { readonly server: string; readonly at: number; readonly names: readonly Name[] }[] = []
  /** The settlements that may be missing. */
  const unwritten = new Set<(typeof settled)[number]>()
  /** Servers whose process has ended, and has not taken shards again. */
  const ended = new Set<string>()
  const loseLast = (server?: string): void => {
    for (const each of settled) {
      if (each.at >= now() - unwrittenMs && (server ?? each.server) === each.server) unwritten.add(each)
    }
  }
  return {
    on: {
      settled: ({ server, settlement: { result }, outcome }) => {
        if (outcome.outcome !== 'settled') return
        const one = { server, at: now(), names: countedAs[result.kind] ?? (['failed'] as const) }
        settled.push(one)
        // The store still committed what the process had sent before it died.
        if (ended.has(server)) unwritten.add(one)
      },
      taken: ({ server }) => {
        ended.delete(server)
      },
      'server ended': ({ server }) => {
        loseLast(server)
        ended.add(server)
      },
    },
    finish: async ({ events, committed, prunedBefore }) => {
      loseLast()
      const records = await committed.listFigures({ organizationId, subscriptionIds: [''], from: 0 })
      const read = (name: string): number => records.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)
      const isComplete = prunedBefore === 0 && !hasSeen('paused') && !canDelayWrites(plan)
      for (const name of names) {
        const all = settled.filter((each) => each.names.includes(name))
        const certain = isComplete ? all.filter((each) => !unwritten.has(each)).length : 0
        if (read(name) > all.length) violate(once, `${read(name)} ${name}, but ${all.length} happened`)
        if (read(name) < certain) violate(lost, `${read(name)} ${name}, but at least ${certain} happened`)
      }
      if (prunedBefore === 0 && !hasSeen('erased') && read('events') > events.length)
        violate(once, `${read('events')} events, but ${events.length} were published`)
    },
  }
}
