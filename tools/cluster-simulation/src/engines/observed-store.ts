import type {
  DeliveryRecord,
  EventRecord,
  GroupCreation,
  GroupCreationOutcome,
  Page,
  PageRequest,
  Store,
} from '@wabakit/core'
import { StorageOutcomeUnknownError, StorageUnavailableError } from '@wabakit/core'
import { organizationId } from '../cluster/organization.ts'
import type { RunContext } from '../cluster/run-context.ts'
import type { CreateCall } from '../observations.ts'

export const readAll = async <Item>(
  list: (page: PageRequest) => Promise<Page<Item>>,
  limit: number,
): Promise<Item[]> => {
  const found: Item[] = []
  let cursor: string | undefined
  do {
    const { items, nextCursor } = await list({ limit, cursor })
    found.push(...items)
    cursor = items.length < limit ? undefined : nextCursor
  } while (cursor !== undefined)
  return found
}

/** Reads all deliveries, in the order of their events. */
export const listDeliveries = (store: Store): Promise<DeliveryRecord[]> =>
  readAll((page) => store.listDeliveries({ organizationId, ...page }), 1_000)

/** Reports loaded deliveries, and the commits that invariants examine. */
export const observeCommits = (
  store: Store,
  { observe }: Pick<RunContext, 'observe'>,
  server: string,
): Store => {
  /** Reports the start and the end of a change. If its process dies after the commit, only the start is reported. */
  const reset = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    observe({ kind: 'reset', phase: 'begins' })
    try {
      return await work()
    } finally {
      observe({ kind: 'reset', phase: 'ends' })
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

/** Reports the results of changes, because the store must keep every acknowledged change. */
export const observePromises = (
  store: Store,
  { observe, loop: { steps } }: Pick<RunContext, 'observe' | 'loop'>,
): Store => {
  const watch = async <Outcome>(
    event: EventRecord | null,
    change: Promise<Outcome>,
    isDone: (outcome: Outcome) => boolean,
  ): Promise<Outcome> => {
    if (event === null) return change
    try {
      const outcome = await change
      const result = isDone(outcome) ? 'done' : 'not done'
      observe({ kind: 'change ended', event, result, what: 'returned' })
      return outcome
    } catch (error) {
      const result = error instanceof StorageOutcomeUnknownError ? 'unknown' : 'not done'
      const what = error instanceof StorageUnavailableError ? 'StorageUnavailableError' : String(error)
      observe({ kind: 'change ended', event, result, what })
      throw error
    }
  }
  const watchCreate = async (
    { group }: GroupCreation,
    change: Promise<GroupCreationOutcome>,
  ): Promise<GroupCreationOutcome> => {
    const input = { requestHash: group.requestHash ?? group.clientCustomGroupId }
    const call: CreateCall = { input, from: steps(), to: Infinity, output: undefined }
    observe({ kind: 'create started', groupId: group.clientCustomGroupId, call })
    try {
      const created = await change
      call.output = created.outcome
      call.to = steps()
      return created
    } catch (error) {
      // Unless its outcome is unknown, a failed call never takes effect.
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
