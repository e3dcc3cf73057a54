import type { DeliveryRecord, EventRecord, GroupCreation, GroupCreationOutcome, Store } from '@wabakit/core'
import { StorageOutcomeUnknownError, StorageUnavailableError } from '@wabakit/core'
import { organizationId } from '../cluster/organization.ts'
import type { RunContext } from '../cluster/run-context.ts'
import type { CreateCall } from '../observations.ts'

/** Reads all deliveries, in the order of their events. */
export const listDeliveries = async (store: Store): Promise<DeliveryRecord[]> => {
  const found: DeliveryRecord[] = []
  let cursor: string | undefined
  do {
    const page = await store.listDeliveries({ organizationId, limit: 1_000, cursor })
    found.push(...page.items)
    cursor = page.items.length < 1_000 ? undefined : page.nextCursor
  } while (cursor !== undefined)
  return found
}

/** Reports commits: loaded deliveries, settlements, new owners, and changes that void the order of lanes. */
export const observeCommits = (
  store: Store,
  { observe }: Pick<RunContext, 'observe'>,
  server: string,
): Store => {
  /**
   * Reports a change before its commit, because the process may die right after it, and again afterwards, because the
   * commit may be delayed.
   */
  const reset = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    observe({ kind: 'reset', server, phase: 'begins' })
    try {
      return await work()
    } finally {
      observe({ kind: 'reset', server, phase: 'ends' })
    }
  }
  return {
    ...store,
    loadDeliveries: async (keys) => {
      const found = await store.loadDeliveries(keys)
      const deliveries = await listDeliveries(store)
      for (const [index, attempted] of found.entries()) {
        const key = keys[index]
        if (attempted !== undefined && key !== undefined)
          observe({ kind: 'loaded', server, key, attempted, deliveries })
      }
      return found
    },
    settleDeliveries: async (settlements) => {
      const outcomes = await store.settleDeliveries(settlements)
      for (const [index, outcome] of outcomes.entries()) {
        const settlement = settlements[index]
        if (settlement !== undefined) observe({ kind: 'settled', server, settlement, outcome })
      }
      return outcomes
    },
    takeShards: async (request) => {
      const shards = await store.takeShards(request)
      for (const owned of shards) observe({ kind: 'taken', server, owned })
      return shards
    },
    cancelDelivery: async (request) => {
      const isCanceled = await store.cancelDelivery(request)
      if (isCanceled) observe({ kind: 'canceled', deliveryId: request.deliveryId })
      return isCanceled
    },
    resendDeliveries: (query) => reset(() => store.resendDeliveries(query)),
    removeSubscription: (organization, id) => reset(() => store.removeSubscription(organization, id)),
    erase: (request) => reset(() => store.erase(request)),
    prune: (request) => {
      if (request.before > 0) observe({ kind: 'pruned', before: request.before })
      return store.prune(request)
    },
  }
}

const toResult = (error: unknown): 'not done' | 'unknown' =>
  error instanceof StorageOutcomeUnknownError ? 'unknown' : 'not done'

/** Reports the results of a server's changes. The store must keep every change it acknowledged. */
export const observePromises = (
  store: Store,
  { observe, scheduler: { steps } }: Pick<RunContext, 'observe' | 'scheduler'>,
  server: string,
): Store => {
  const watch = async <Outcome>(
    event: EventRecord | null,
    change: Promise<Outcome>,
    isDone: (outcome: Outcome) => boolean,
  ): Promise<Outcome> => {
    if (event === null) return change
    const report = (result: 'done' | 'not done' | 'unknown', what: string): void =>
      observe({ kind: 'change ended', server, event, result, what })
    try {
      const outcome = await change
      report(isDone(outcome) ? 'done' : 'not done', 'returned')
      return outcome
    } catch (error) {
      report(
        toResult(error),
        error instanceof StorageUnavailableError ? 'StorageUnavailableError' : String(error),
      )
      throw error
    }
  }
  const watchCreate = async (
    { group }: GroupCreation,
    change: Promise<GroupCreationOutcome>,
  ): Promise<GroupCreationOutcome> => {
    const input = { requestHash: group.requestHash ?? group.clientCustomGroupId }
    const call: CreateCall = { input, from: steps(), to: Infinity, output: undefined }
    observe({ kind: 'create began', groupId: group.clientCustomGroupId, call })
    try {
      const created = await change
      call.output = created.outcome
      call.to = steps()
      return created
    } catch (error) {
      // A rejected call never takes effect.
      if (!(error instanceof StorageOutcomeUnknownError)) call.to = -Infinity
      throw error
    }
  }
  return {
    ...store,
    createGroup: (change) =>
      watch(
        change.event,
        watchCreate(change, store.createGroup(change)),
        ({ outcome }) => outcome === 'created',
      ),
    saveParticipant: (change) =>
      watch(change.event, store.saveParticipant(change), (outcome) => outcome === 'saved'),
    saveCall: (change) => watch(change.event, store.saveCall(change), (outcome) => outcome === 'saved'),
    saveSummary: (change) => watch(change.event, store.saveSummary(change), (outcome) => outcome === 'first'),
    addEvent: (event) => watch(event, store.addEvent(event), () => true),
  }
}
