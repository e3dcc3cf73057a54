import type { Store } from '@wabakit/core'
import { longestSpanMs } from '@wabakit/core/storage'
import type { Calls } from './calls.ts'
import type { Access } from './record-access.ts'
import type { Removals } from './removals.ts'

const isInactive = 'coalesce(activeAt, createdAt) < ?'

export const createPrune = (
  { database, write }: Access,
  { removals, removeCall }: { readonly removals: Removals } & Pick<Calls, 'removeCall'>,
) => {
  const finishedDeliveries = database.prepare(
    `delete from deliveries where (event, subscription) in
       (select event, subscription from deliveries where finishedAt < ? order by finishedAt limit ?)`,
  )
  const unusedEvents = database.prepare(
    `delete from events where position in
       (select position from events where deliveries = 0 and occurredAt < ? order by occurredAt limit ?)`,
  )
  const oldFigures = database.prepare(
    `delete from figures where (organizationId, subscriptionId, at, span) in
       (select organizationId, subscriptionId, at, span from figures where span = ${longestSpanMs} and at < ? limit ?)`,
  )
  const oldCalls = database.prepare(
    `select organizationId, callId from calls c where updatedAt < ?1 and not exists (
       select 1 from summaries s
       where s.organizationId = c.organizationId and s.callId = c.callId and s.generatedAt >= ?1
     ) order by updatedAt limit ?2`,
  )
  const formerParticipants = database.prepare(
    `delete from participants where (organizationId, groupId, digits) in
       (select organizationId, groupId, digits from participants where state <> 'joined' and changedAt < ? limit ?)`,
  )
  const inactiveParticipants = database.prepare(
    `delete from participants where (organizationId, groupId, digits) in (
       select p.organizationId, p.groupId, p.digits
       from groups g cross join participants p on p.organizationId = g.organizationId and p.groupId = g.clientCustomGroupId
       where ${isInactive} limit ?)`,
  )
  const inactiveGroups = database.prepare(
    `delete from groups where (organizationId, clientCustomGroupId) in (
       select organizationId, clientCustomGroupId from groups g where ${isInactive} and not exists (
         select 1 from participants p where p.organizationId = g.organizationId and p.groupId = g.clientCustomGroupId
       ) limit ?)`,
  )

  const pruneRecords = (before: number, limit: number): number => {
    const old = oldCalls.all(before, limit)
    for (const { organizationId, callId } of old) removeCall(String(organizationId), String(callId))
    return [formerParticipants, inactiveParticipants, inactiveGroups].reduce(
      (removed, statement) => removed + Number(statement.run(before, limit).changes),
      old.length,
    )
  }

  return {
    prune: ({ before, recordsBefore, limit }) =>
      write(
        () =>
          removals.takeSteps(limit) +
          Number(finishedDeliveries.run(before, limit).changes) +
          Number(unusedEvents.run(before, limit).changes) +
          Number(oldFigures.run(before, limit).changes) +
          (recordsBefore === undefined ? 0 : pruneRecords(recordsBefore, limit)),
      ),
  } satisfies Partial<Store>
}
