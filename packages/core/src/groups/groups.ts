import type { CreateGroupRequest } from '@wabakit/contract'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import { groupCreated } from '../events/event-draft.ts'
import type { EventLog } from '../events/event-log.ts'
import type { GroupRecord, IntegrationRecord, OrganizationRecord } from '../records.ts'
import type { Store } from '../store.ts'
import type { Directory } from '../tenancy/directory.ts'
import type { Clock } from '../values/clock.ts'
import { checkIdentifiers } from '../values/identifier.ts'
import type { Ids } from '../values/ids.ts'
import { digitsOf } from '../values/phone-number.ts'
import { checkTexts } from '../values/storable-text.ts'
import { parseCreateGroup } from './parse-create-group.ts'
import { requestHash } from './request-hash.ts'

/** What a successful create gives. */
export type CreatedGroup = {
  /** The client custom group id: the supplied one, or the generated one. */
  readonly groupId: string
  /** `repeated`: the same request had created the group before; nothing was written and no event happened. */
  readonly outcome: 'created' | 'repeated'
  readonly group: GroupRecord
}

/** The groups of a server. */
export type Groups = {
  /**
   * Creates a group as the endpoint does, for a caller that may use every number of the organization.
   *
   * @throws RequestRefusedError with the code that the endpoint would answer.
   * @throws RecordNotFoundError when there is no such organization.
   */
  create(organizationId: string, request: CreateGroupRequest): Promise<CreatedGroup>
  /** A group by its client custom group id; `undefined` when there is none. */
  find(organizationId: string, groupId: string): Promise<GroupRecord | undefined>
}

/** What {@link createGroup} works with. */
export type GroupsContext = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly inviteLinks: () => string
  readonly log: EventLog
  readonly directory: Directory
}

/** Who creates: the organization, and the WABA numbers (their digits) that its key may use. */
export type GroupCreator = {
  readonly organization: OrganizationRecord
  readonly permitted: 'all' | readonly string[]
}

const findIntegration = (
  { organization, permitted }: GroupCreator,
  wabaNumber: string,
): IntegrationRecord => {
  const digits = digitsOf(wabaNumber)
  const integration = organization.integrations.find((each) => each.digits === digits)
  if (integration === undefined) {
    throw new RequestRefusedError(
      'integration_not_found',
      'wabaNumber belongs to no integration of your organization.',
      { issues: [{ path: 'wabaNumber', message: 'no integration has this number' }] },
    )
  }
  if (permitted !== 'all' && !permitted.includes(integration.digits)) {
    throw new RequestRefusedError('waba_number_not_permitted', 'This API key may not use this wabaNumber.')
  }
  return integration
}

const conflict = (groupId: string): RequestRefusedError =>
  new RequestRefusedError(
    'group_id_conflict',
    'groupId is in use by a different group of your organization.',
    {
      issues: [{ path: 'groupId', message: `${JSON.stringify(groupId)} is taken` }],
    },
  )

const disabled = (): RequestRefusedError =>
  new RequestRefusedError('integration_disabled', 'The integration of this wabaNumber is disabled.')

/** A retry of a create that succeeded must succeed, even if the integration has been disabled since. */
const repeatOnly = async (store: Store, wanted: GroupRecord): Promise<CreatedGroup> => {
  const { organizationId, clientCustomGroupId: groupId, requestHash: hash } = wanted
  const group = hash === null ? undefined : await store.findGroup(organizationId, groupId)
  if (group === undefined) throw disabled()
  if (group.requestHash !== hash) throw conflict(groupId)
  return { groupId, outcome: 'repeated', group }
}

/**
 * Creates a group: integration (400), permission (403), business rules (422), then the group with its event.
 *
 * @throws RequestRefusedError when one of these refuses.
 */
export const createGroup = async (
  context: GroupsContext,
  creator: GroupCreator,
  request: CreateGroupRequest,
): Promise<CreatedGroup> => {
  const { store, clock, ids, log, inviteLinks } = context
  const integration = findIntegration(creator, request.wabaNumber)
  const wanted: GroupRecord = {
    organizationId: creator.organization.id,
    clientCustomGroupId: request.groupId ?? ids('wagrp'),
    requestHash: request.groupId === undefined ? null : requestHash(request),
    wabaNumber: integration.number,
    digits: integration.digits,
    subject: request.subject,
    description: request.description ?? null,
    joinApprovalMode: request.joinApprovalMode ?? integration.joinApprovalMode,
    inviteLink: inviteLinks(),
    createdAt: clock.now(),
  }
  if (!integration.enabled) return repeatOnly(store, wanted)

  const prepared = log.prepare(groupCreated(wanted))
  const { outcome, group } = await store.createGroup({ group: wanted, event: prepared.record })
  const groupId = group.clientCustomGroupId
  if (outcome === 'same') return { groupId, outcome: 'repeated', group }
  if (outcome === 'created') {
    log.emit(prepared)
    return { groupId, outcome: 'created', group }
  }
  if (request.groupId !== undefined) throw conflict(groupId)
  return createGroup(context, creator, request)
}

/** Makes the operations on groups. */
export const createGroups = (context: GroupsContext): Groups => ({
  create: async (organizationId, request) => {
    const organization = await context.directory.organization(organizationId)
    return createGroup(context, { organization, permitted: 'all' }, parseCreateGroup(request))
  },
  find: async (organizationId, groupId) => {
    checkIdentifiers({ organizationId })
    checkTexts({ groupId })
    return context.store.findGroup(organizationId, groupId)
  },
})
