import { addCounts } from '../figures/counts.ts'
import { findPeriod, planRollUps } from '../figures/roll-up.ts'
import type { FigureRecord } from '../records.ts'
import type { Store } from '../store.ts'
import type { Database, OrganizationTables } from './tables.ts'

const getKey = ({ subscriptionId, at, span }: FigureRecord): string =>
  JSON.stringify([subscriptionId, at, span])

const add = ({ figures }: OrganizationTables, record: FigureRecord): void => {
  const key = getKey(record)
  const counts = { ...figures.get(key)?.counts }
  addCounts(counts, record.counts)
  figures.set(key, { ...record, counts })
}

/** Creates the operations on counts of events and attempts over time. */
export const createFigures = ({
  organizations,
}: Database): Pick<Store, 'addFigures' | 'listFigures' | 'rollUpFigures'> => ({
  addFigures: async (records) => {
    for (const record of records) {
      const { organizationId, subscriptionId } = record
      const tables = organizations.get(organizationId)
      if (tables === undefined) continue
      if (subscriptionId === '' || tables.subscriptions.has(subscriptionId)) add(tables, record)
    }
  },
  listFigures: async ({ organizationId, subscriptionIds, from }) => {
    const wanted = new Set(subscriptionIds)
    const records = [...(organizations.get(organizationId)?.figures.values() ?? [])]
    return records.filter(({ subscriptionId, at }) => wanted.has(subscriptionId) && at >= from)
  },
  rollUpFigures: async ({ now, limit }) => {
    let removed = 0
    for (const { span, intoSpan, before } of planRollUps(now)) {
      for (const tables of organizations.values()) {
        const isDue = (record: FigureRecord): boolean => record.span === span && record.at < before
        for (const record of [...tables.figures.values()].filter(isDue).slice(0, limit - removed)) {
          tables.figures.delete(getKey(record))
          add(tables, { ...record, span: intoSpan, at: findPeriod(record.at, intoSpan) })
          removed += 1
        }
      }
    }
    return removed
  },
})
