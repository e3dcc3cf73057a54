import { organizationId } from '../cluster/organization.ts'
import type { Observations } from '../observations.ts'
import type { Invariant, InvariantContext } from './invariant.ts'

const onePerCreate = 'one group per create request'
const lost = 'nothing acknowledged is lost'
const conflict = 'a repeated id is accepted only for the same request'
const undone = 'nothing rejected takes effect'

type Ended = Observations['client ended']

/** Checks that the stored groups match the responses that clients got. */
export const createGroupsInvariant = ({ plan, violate }: InvariantContext): Invariant => {
  const ended = new Map<string, Ended[]>()
  return {
    on: {
      'client ended': (observed) => {
        const { groupId = '?' } = observed
        ended.set(groupId, [...(ended.get(groupId) ?? []), observed])
      },
    },
    finish: async ({ events, committed, prunedBefore }) => {
      for (const [groupId, own] of ended) {
        const group = await committed.findGroup(organizationId, groupId)
        for (const { operation, result } of group === undefined ? [] : own) {
          if (result !== 'done' || operation.do !== 'create a group') continue
          if (group?.subject !== operation.subject)
            violate(
              conflict,
              `a create request for ${groupId} succeeded, but the group has a different subject`,
            )
        }
      }
      const created = events.filter(({ name }) => name === 'GROUP_CREATED')
      const subjects = created.map(({ subject }) => subject)
      for (const subject of new Set(subjects)) {
        const count = subjects.filter((each) => each === subject).length
        if (count > 1) violate(onePerCreate, `GROUP_CREATED for ${subject} was published ${count} times`)
        const own = ended.get(subject.replace('group:', ''))
        if (own?.every(({ result }) => result === 'not done'))
          violate(undone, `all create requests for ${subject} were rejected, but it exists`)
      }
      const creates = plan.operations.filter((operation) => operation.do === 'create a group').length
      if (created.length > creates)
        violate(onePerCreate, `${created.length} groups for ${creates} create requests`)
      for (const [groupId, own] of prunedBefore > 0 ? [] : ended) {
        const isAcknowledged = own.some(({ result }) => result === 'done')
        if (isAcknowledged && !subjects.includes(`group:${groupId}`))
          violate(lost, `a client got group ${groupId}, which does not exist`)
      }
    },
  }
}
