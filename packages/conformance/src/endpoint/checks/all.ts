import type { Severity } from '../../report/report.ts'
import type { EndpointCheck } from '../check.ts'
import { behaviorChecks } from './behavior.ts'
import { forgedChecks } from './forged.ts'
import { genuineChecks } from './genuine.ts'
import { hostileBodyChecks } from './hostile-bodies.ts'
import { hostileConnectionChecks } from './hostile-connections.ts'
import { orderedChecks } from './ordered.ts'
import { repeatedChecks } from './repeated.ts'
import { replayedChecks } from './replayed.ts'

const groups: Readonly<Record<string, readonly EndpointCheck[]>> = {
  genuine: genuineChecks,
  forged: forgedChecks,
  replayed: replayedChecks,
  repeated: repeatedChecks,
  ordered: orderedChecks,
  hostile: [...hostileBodyChecks, ...hostileConnectionChecks],
  'well behaved': behaviorChecks,
}

const severities: readonly Severity[] = ['critical', 'high', 'medium', 'low']
const controlId = 'accepts-genuine'

/**
 * Every check of an endpoint, in the order in which they run: the positive control, then the most important ones, then
 * those that may crash the endpoint, and last those that judge all exchanges.
 */
export const endpointChecks: readonly (EndpointCheck & { readonly group: string })[] = Object.entries(groups)
  .flatMap(([group, checks]) => checks.map((check) => ({ ...check, group })))
  .map((check) => {
    const { id, group, severity } = check
    const phase = id === controlId ? 0 : group === 'well behaved' ? 3 : group === 'hostile' ? 2 : 1
    return { check, rank: phase * 10 + (phase === 3 ? 0 : severities.indexOf(severity)) }
  })
  .toSorted((left, right) => left.rank - right.rank)
  .map(({ check }) => check)
