import type { EventRecord, SettlementResult, Store } from '@wabakit/core'
import { mapTable } from '../../../../server/src/stores/postgres/records.ts'
import { organizationId } from '../../cluster/organization.ts'
import { getTrueTime, type RunContext } from '../../cluster/run-context.ts'
import type { createWorkers } from './simulated-workers.ts'

/** Executes a statement in a transaction of its own. Returns its rows. */
export type Execute = (sql: string, values: readonly unknown[]) => Promise<unknown[]>

export type StatementsContext = RunContext & {
  readonly store: Store
  readonly workers: ReturnType<typeof createWorkers>
  notifyAll(channel: string, payload: string): void
}

const tables = {
  create_groups: mapTable('groups'),
  save_participants: mapTable('participants'),
  save_calls: mapTable('calls'),
  save_summaries: mapTable('summaries'),
} as const
const events = mapTable('events')
const subscriptions = mapTable('subscriptions')

type Json = Readonly<Record<string, unknown>>
type SettlementInput = Json & {
  readonly event: number
  readonly claimId: string
  readonly kind: SettlementResult['kind']
}

const parseList = <Item = Json>(text: unknown): Item[] => JSON.parse(String(text))

const parseEvents = (text: unknown): (EventRecord | null)[] =>
  parseList(text).map((row) => (row.id === undefined ? null : events.toRecord(row)))

/** The key of a delivery in the simulated database: there is one number for both parts. */
export const toDeliveryId = (event: unknown): string => `dlv_${String(event)}_1`

/** Returns the name of the SQL function that a statement calls. */
export const getFunctionName = (sql: string): string =>
  /(\w+)\(/.exec(sql.replace('pg_backend_pid() AS backend, ', ''))?.[1] ?? ''

/** What the SQL functions of the PostgreSQL store do, by the memory store. */
export const createExecute = (context: StatementsContext): Execute => {
  const { store, workers, notifyAll } = context
  const now = (): number => getTrueTime(context)

  const assertNew = async (added: readonly (EventRecord | null)[]): Promise<void> => {
    for (const event of added) {
      if (event === null) continue
      const { items } = await store.listEvents({ organizationId, eventId: event.id, limit: 1 })
      if (items.length > 0) throw new Error(`duplicate key value: ${event.id}`)
    }
  }

  /** Makes one change. Returns whether it was made as requested, and for a group the one that exists. */
  const change = async (
    name: keyof typeof tables,
    row: Json,
    event: EventRecord | null,
  ): Promise<{ readonly isDone: boolean; readonly existing?: Json }> => {
    switch (name) {
      case 'create_groups': {
        if (event === null) throw new Error('a group without an event')
        const { outcome, group } = await store.createGroup({ group: tables[name].toRecord(row), event })
        const isDone = outcome === 'created'
        return isDone ? { isDone } : { isDone, existing: { outcome, group: tables[name].toRow(group) } }
      }
      case 'save_participants': {
        if (event === null) throw new Error('a participant without an event')
        return {
          isDone:
            (await store.saveParticipant({ participant: tables[name].toRecord(row), event })) === 'saved',
        }
      }
      case 'save_calls':
        return { isDone: (await store.saveCall({ call: tables[name].toRecord(row), event })) === 'saved' }
      case 'save_summaries':
        return {
          isDone: (await store.saveSummary({ summary: tables[name].toRecord(row), event })) === 'first',
        }
    }
  }

  const changeAll = async (name: keyof typeof tables, [, records, eventRows]: readonly unknown[]) => {
    const added = parseEvents(eventRows)
    await assertNew(added)
    const done: number[] = []
    const existing: Json[] = []
    for (const [index, row] of parseList(records).entries()) {
      const outcome = await change(name, row, added[index] ?? null)
      if (outcome.isDone) done.push(index + 1)
      if (outcome.existing !== undefined) existing.push({ ...outcome.existing, ordinal: index + 1 })
    }
    return [{ done, existing: existing.length > 0 ? existing : null, due: done.length > 0 }]
  }

  const claim = async (values: readonly unknown[]): Promise<unknown[]> => {
    const [claimId, leaseMs, limit, perSubscription, suspects, failing, except, worker] = values
    if (worker !== null && !workers.isKnown(Number(worker))) return []
    // With the worker, for the test that repeats the history of a run.
    const request = {
      worker: worker === null ? null : Number(worker),
      claimId: String(claimId),
      now: now(),
      leaseMs: Number(leaseMs),
      limit: Number(limit),
      perSubscription: Number(perSubscription),
      suspects:
        suspects === null
          ? undefined
          : {
              limit: Number(suspects),
              failing: Number(failing),
              except: Array.isArray(except) ? except : [],
            },
    }
    const claimed = await store.claimDeliveries(request)
    const sent = new Set<string>()
    return claimed.map(({ delivery, event, subscription, pace }) => {
      workers.noteClaim(delivery.id, { claimId: String(claimId), worker: Number(worker) })
      const isFirst = !sent.has(subscription.id)
      sent.add(subscription.id)
      const { channel, digits, payload, waitsFor } = event
      const row = isFirst ? subscriptions.toRow(subscription) : null
      return { delivery, channel, digits, payload, waitsFor, subscription: row, pace }
    })
  }

  /** Whether a settlement would disable its subscription, which needs a statement of its own. */
  const wouldDisable = async (deliveryId: string, { kind }: SettlementInput): Promise<boolean> => {
    if (kind !== 'gone') return false
    const { items } = await store.listDeliveries({ organizationId, deliveryId, limit: 1 })
    const owner = await store.findSubscription(organizationId, items[0]?.subscriptionId ?? '')
    return owner?.disabledReason === null
  }

  const settle = async ([, , rows, mayDisable]: readonly unknown[]): Promise<unknown[]> => {
    const settled: Json[] = []
    let due = false
    for (const [ordinal, input] of parseList<SettlementInput>(rows).entries()) {
      const { event, claimId, kind, failingLimitMs, isSlow, delayMs, releasesLane } = input
      const deliveryId = toDeliveryId(event)
      const { startedAt, durationMs, url, status, error, responseBody } = input
      const attempt = { startedAt, durationMs, url, status, error, responseBody }
      if (mayDisable !== true && (await wouldDisable(deliveryId, input))) {
        settled.push({ ordinal, status: null })
        continue
      }
      const outcome = await store.settleDelivery({
        deliveryId,
        claimId,
        now: now(),
        result: { kind, attempt, delayMs, releasesLane } as SettlementResult,
        isSlow: isSlow === true,
        failingLimitMs: Number(failingLimitMs),
      })
      if (outcome.outcome === 'stale') continue
      workers.noteSettled(deliveryId)
      due ||= kind === 'released'
      settled.push({ ordinal, ...outcome.delivery, disabled: outcome.disabled })
    }
    return [{ settled: settled.length > 0 ? settled : null, due }]
  }

  return async (sql, values) => {
    const name = getFunctionName(sql)
    switch (name) {
      case 'create_groups':
      case 'save_participants':
      case 'save_calls':
      case 'save_summaries':
        return changeAll(name, values)
      case 'add_events': {
        const added = parseEvents(values[1])
        await assertNew(added)
        for (const event of added) if (event !== null) await store.addEvent(event)
        return [{ due: true }]
      }
      case 'claim_deliveries':
        return claim(values)
      case 'settle_deliveries':
        return settle(values)
      case 'next_due_at':
        return [{ next: (await store.nextDueAt()) ?? null }]
      case 'continue_removals':
        return [{ changed: 0 }]
      case 'check_workers':
        return [await workers.check(typeof values[0] === 'number' ? values[0] : null)]
      case 'pg_notify':
        notifyAll(String(values[0]), String(values[1]))
        return []
      default:
        throw new Error(`The simulated PostgreSQL does not know this statement: ${sql}`)
    }
  }
}
