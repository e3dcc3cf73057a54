import { createHash } from 'node:crypto'
import { RecordNotFoundError, type Store } from '@wabakit/core'
import { toPage } from '@wabakit/core/storage'
import { toLikePattern } from '../like-pattern.ts'
import type { Publish } from './events.ts'
import { customerDigits } from './migrations.ts'
import { createNewest } from './newest-first.ts'
import type { Access } from './record-access.ts'
import { insertInto, listMarks, mapTable } from './records.ts'
import { createSave } from './revisions.ts'

export type Calls = Pick<Store, 'saveCall' | 'findCall' | 'listCalls' | 'saveSummary'> & {
  /**
   * Removes a call with its summary in the caller's transaction, and remembers whether the call had a summary.
   */
  removeCall(organizationId: string, callId: string): void
}

const calls = mapTable('calls')
const summaries = mapTable('summaries')

const hash = (callId: string): string => createHash('sha256').update(callId).digest('hex')

export const createCalls = ({ database, readOwned, readPage, writeTo }: Access, publish: Publish): Calls => {
  const save = createSave(database, 'calls')
  const find = database.prepare('select * from calls where organizationId = ? and callId = ?')
  const readNewest = createNewest(database, { table: 'calls', time: 'initiatedAt', id: 'callId' })
  const remove = database.prepare('delete from calls where organizationId = ? and callId = ?')

  const insertSummary = database.prepare(
    `${insertInto('summaries', summaries.columns)} on conflict do nothing`,
  )
  const replaceSummary = database.prepare(
    `update summaries set (${summaries.columns.join(', ')}) = (${listMarks(summaries.columns)})
     where organizationId = ? and callId = ?`,
  )
  const findSummary = database.prepare('select * from summaries where organizationId = ? and callId = ?')
  const removeSummary = database.prepare('delete from summaries where organizationId = ? and callId = ?')
  const findMark = database.prepare('select 1 from summaryMarks where organizationId = ? and hash = ?')
  const addMark = database.prepare(
    'insert into summaryMarks (organizationId, hash) values (?, ?) on conflict do nothing',
  )

  return {
    saveCall: ({ call, event }) =>
      writeTo(call.organizationId, () => {
        const outcome = save(call)
        if (outcome === 'saved' && event !== null) publish(event)
        return outcome
      }),
    findCall: (organizationId, callId) =>
      readOwned(
        organizationId,
        () => {
          const call = find.get(organizationId, callId)
          const summary = findSummary.get(organizationId, callId)
          return call && { call: calls.toRecord(call), summary: summary && summaries.toRecord(summary) }
        },
        undefined,
      ),
    listCalls: (query) =>
      readPage(query, () =>
        toPage({
          ...readNewest(query, {
            [`${customerDigits} = ?`]: query.customerDigits,
            'state = ?': query.state,
            "(callId like ? escape '\\' or customerNumber like ? escape '\\')": query.text && [
              toLikePattern(query.text),
              toLikePattern(query.text),
            ],
          }),
          toItem: calls.toRecord,
        }),
      ),
    saveSummary: ({ summary, event }) =>
      writeTo(summary.organizationId, () => {
        const { organizationId, callId } = summary
        if (find.get(organizationId, callId) === undefined) throw new RecordNotFoundError('call', callId)
        const values = summaries.toValues(summary)
        if (Number(insertSummary.run(...values).changes) === 0) {
          replaceSummary.run(...values, organizationId, callId)
          return 'replaced'
        }
        if (findMark.get(organizationId, hash(callId)) !== undefined) return 'replaced'
        if (event !== null) publish(event)
        return 'first'
      }),
    removeCall: (organizationId, callId) => {
      remove.run(organizationId, callId)
      const { changes } = removeSummary.run(organizationId, callId)
      if (Number(changes) > 0) addMark.run(organizationId, hash(callId))
    },
  }
}
