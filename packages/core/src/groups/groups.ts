import type { CreateGroupRequest } from '@wabakit/contract'
import { type ListQuery, maxExamined } from '../history/selection.ts'
import type { GroupRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import type { GroupQuery, Page } from '../store.ts'
import { getOrganization } from '../tenancy/organizations.ts'
import { checkNumbers } from '../values/check-numbers.ts'
import { checkIdentifiers, checkTexts } from '../values/storable-text.ts'
import { type CreatedGroup, createGroup, parseCreateGroup } from './create-group.ts'

/** The groups of a server. */
export type Groups = {
  /**
   * Creates a group like the endpoint, but with permission for every number of the organization.
   *
   * @throws RequestRefusedError with the code that the endpoint would respond with.
   * @throws RecordNotFoundError if there is no such organization.
   */
  create(organizationId: string, request: CreateGroupRequest): Promise<CreatedGroup>
  /** Finds a group by its `groupId`; `undefined` if there is none. */
  find(organizationId: string, groupId: string): Promise<GroupRecord | undefined>
  /** Lists an organization's groups, newest first. */
  list(organizationId: string, query?: ListQuery<GroupQuery>): Promise<Page<GroupRecord>>
}

export const createGroups = (context: ServerContext): Groups => ({
  create: async (organizationId, request) => {
    const organization = await getOrganization(context.store, organizationId)
    return createGroup(context, { organization, permitted: 'all' }, parseCreateGroup(request))
  },
  find: async (organizationId, groupId) => {
    checkIdentifiers({ organizationId })
    checkTexts({ groupId })
    return context.store.findGroup(organizationId, groupId)
  },
  list: async (organizationId, query = {}) => {
    checkIdentifiers({ organizationId })
    checkTexts({ text: query.text })
    checkNumbers(query)
    return context.store.listGroups({ limit: 100, maxExamined, ...query, organizationId })
  },
})
