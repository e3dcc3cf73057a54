import { createModel, isLinearizable } from '../linearizability.ts'
import type { CreateCall } from '../observations.ts'
import type { Invariant, InvariantContext } from './invariant.ts'

/** Checks that the creation of groups is linearizable: the results match some order of the calls. */
export const createLinearizableInvariant = ({ violate }: InvariantContext): Invariant => {
  const creates = new Map<string, CreateCall[]>()
  return {
    on: {
      'create started': ({ groupId, call }) => creates.set(groupId, [...(creates.get(groupId) ?? []), call]),
    },
    finish: ({ prunedBefore }) => {
      for (const [groupId, calls] of prunedBefore > 0 ? [] : creates) {
        const possible = calls.filter(({ to }) => to !== -Infinity)
        if (isLinearizable(possible, createModel)) continue
        const outcomes = possible.map(({ from, to, output }) => `${from} to ${to}: ${output}`)
        violate('concurrent creates are linearizable', `${groupId}: ${outcomes.join(', ')}`)
      }
    },
  }
}
