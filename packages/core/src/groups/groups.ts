import type { CreateGroupRequest } from '@wabakit/contract'
import type { GroupRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import { checkIdentifiers } from '../values/identifier.ts'
import { checkTexts } from '../values/storable-text.ts'
import { type CreatedGroup, createGroup, parseCreateGroup } from './create-group.ts'

/** The groups of a server. */
export type Groups = {
  /**
   * Creates a group like the endpoint does, with permission for every number of the organization.
   *
   * @throws RequestRefusedError with the code that the endpoint would respond with.
   * @throws RecordNotFoundError if there is no such organization.
   */
  create(organizationId: string, request: CreateGroupRequest): Promise<CreatedGroup>
  /** Finds a group by its `groupId`; `undefined` if there is none. */
  find(organizationId: string, groupId: string): Promise<GroupRecord | undefined>
}

export const createGroups = (context: ServerContext): Groups => ({
  create: async (organizationId, request) => {
    const organization = await context.directory.getOrganization(organizationId)
    return createGroup(context, { organization, permitted: 'all' }, parseCreateGroup(request))
  },
  find: async (organizationId, groupId) => {
    checkIdentifiers({ organizationId })
    checkTexts({ groupId })
    return context.store.findGroup(organizationId, groupId)
  },
})
