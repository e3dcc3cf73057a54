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

/** Every check of an endpoint, in the order in which they run. The positive controls come first. */
export const endpointChecks: readonly (EndpointCheck & { readonly group: string })[] = Object.entries(
  groups,
).flatMap(([group, checks]) => checks.map((check) => ({ ...check, group })))
