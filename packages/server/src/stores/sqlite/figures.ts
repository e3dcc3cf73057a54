import type { FigureRecord, Store } from '@wabakit/core'
import { addCounts, findPeriod, planRollUps, type RollUp } from '@wabakit/core/storage'
import type { Access } from './record-access.ts'
import { insertInto, mapTable } from './records.ts'

const { toValues, toRecord, columns } = mapTable('figures')
const isKey = 'organizationId = ? and subscriptionId = ? and at = ? and span = ?'

/** Creates the operations on counts of events and attempts over time. */
export const createFigures = ({ database, findOrganization, readOwned, write }: Access) => {
  const findSubscription = database.prepare(
    'select 1 from subscriptions where organizationId = ? and id = ? and revision > 0',
  )
  const find = database.prepare(`select * from figures where ${isKey}`)
  const save = database.prepare(
    `${insertInto('figures', columns)} on conflict do update set counts = excluded.counts`,
  )
  const remove = database.prepare(`delete from figures where ${isKey}`)
  const list = database.prepare(
    'select * from figures where organizationId = ? and subscriptionId = ? and at >= ?',
  )
  const listOld = database.prepare('select * from figures where span = ? and at < ? order by at limit ? + 0')

  const getKey = ({ organizationId, subscriptionId, at, span }: FigureRecord) =>
    [organizationId, subscriptionId, at, span] as const

  const add = (record: FigureRecord): void => {
    const row = find.get(...getKey(record))
    const counts = row === undefined ? {} : { ...toRecord(row).counts }
    addCounts(counts, record.counts)
    save.run(...toValues({ ...record, counts }))
  }

  const doesExist = ({ organizationId, subscriptionId }: FigureRecord): boolean =>
    findOrganization(organizationId) !== undefined &&
    (subscriptionId === '' || findSubscription.get(organizationId, subscriptionId) !== undefined)

  /** Rolls up at most `limit` records of one span. Returns their number. */
  const rollUp = ({ span, intoSpan, before }: RollUp, limit: number): number => {
    const records = listOld.all(span, before, limit).map(toRecord)
    for (const record of records) {
      remove.run(...getKey(record))
      add({ ...record, span: intoSpan, at: findPeriod(record.at, intoSpan) })
    }
    return records.length
  }

  return {
    addFigures: (records) => write(() => records.filter(doesExist).forEach(add)),
    listFigures: ({ organizationId, subscriptionIds, from }) =>
      readOwned(
        organizationId,
        () => subscriptionIds.flatMap((id) => list.all(organizationId, id, from).map(toRecord)),
        [],
      ),
    rollUpFigures: ({ now, limit }) =>
      write(() => planRollUps(now).reduce((removed, plan) => removed + rollUp(plan, limit - removed), 0)),
  } satisfies Partial<Store>
}
