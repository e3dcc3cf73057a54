import type { Store } from '@wabakit/core'

/** Calls whose order and results must be the same on every engine. */
const recorded = [
  'createGroup',
  'saveParticipant',
  'saveCall',
  'saveSummary',
  'saveSubscription',
  'removeSubscription',
  'loadDeliveries',
  'settleDeliveries',
  'resendDeliveries',
  'erase',
  'nextDueAt',
] as const satisfies readonly (keyof Store)[]

export type RecordedMethod = (typeof recorded)[number]

/** A call as a store executed it. */
export type CallEntry = {
  readonly server: string
  readonly method: RecordedMethod
  readonly values: readonly unknown[]
  readonly outcome: unknown
}

/** A call, the end of a process, or what became of workers on PostgreSQL. */
export type HistoryEntry =
  | CallEntry
  | { readonly server: string; readonly method: 'process ended' }
  | { readonly server: string; readonly method: 'worker registered' | 'worker lost'; readonly worker: number }
  /** Claims of workers that were lost early enough were taken over. */
  | { readonly server: string; readonly method: 'process started' | 'workers checked'; readonly now: number }

/** Reports each call that a store has executed for a server, in the order of execution. */
export const recordCalls = (
  store: Store,
  server: string,
  record: ((entry: HistoryEntry) => void) | undefined,
): Store => {
  if (record === undefined) return store
  const watched = recorded.map((method) => [
    method,
    async (...values: unknown[]) => {
      const outcome: unknown = await Reflect.apply(store[method], store, values)
      record({ server, method, values, outcome })
      return outcome
    },
  ])
  return { ...store, ...Object.fromEntries(watched) }
}
