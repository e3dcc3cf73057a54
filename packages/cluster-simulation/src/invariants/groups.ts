import { organizationId } from '../cluster/organization.ts'
import type { Operation } from '../plan.ts'
import type { Rule, RuleContext } from './rule.ts'

const onePerCreate = 'one group per create request'
const lost = 'nothing acknowledged is lost'
const conflict = 'a repeated id is accepted only for the same request'
const undone = 'nothing rejected takes effect'

type Result = 'done' | 'not done' | 'unknown'

/** Checks that groups created by clients exist and are unchanged. */
export const createGroupsRule = ({ plan, violate }: RuleContext): Rule => {
  const results = new Map<string, Result[]>()
  const acknowledged: { readonly groupId: string; readonly operation: Operation }[] = []
  let prunedBefore = 0
  return {
    observe: (observation) => {
      if (observation.kind === 'pruned') prunedBefore = Math.max(prunedBefore, observation.before)
      if (observation.kind !== 'client ended') return
      const { groupId = '?', result, operation } = observation
      if (result === 'done') acknowledged.push({ groupId, operation })
      results.set(groupId, [...(results.get(groupId) ?? []), result])
    },
    finish: async ({ events, committed }) => {
      for (const { groupId, operation } of acknowledged) {
        const group = await committed.findGroup(organizationId, groupId)
        if (group !== undefined && operation.do === 'create a group' && group.subject !== operation.subject) {
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
        const own = results.get(subject.replace('group:', ''))
        const isKnown = own === undefined || own.some((result) => result !== 'not done')
        if (!isKnown) violate(undone, `all create requests for ${subject} were rejected, but it exists`)
      }
      const creates = plan.operations.filter((operation) => operation.do === 'create a group').length
      if (created.length > creates)
        violate(onePerCreate, `${created.length} groups for ${creates} create requests`)
      for (const [groupId, own] of results) {
        if (prunedBefore === 0 && own.includes('done') && !subjects.includes(`group:${groupId}`)) {
          violate(lost, `a client got group ${groupId}, which does not exist`)
        }
      }
    },
  }
}
