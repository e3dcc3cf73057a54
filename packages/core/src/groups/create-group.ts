import { type CreateGroupRequest, createGroupErrorCodes } from '@wabakit/contract'
import { validateCreateGroupRequest } from '@wabakit/wire'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import { toGroupSubject } from '../events/event-log.ts'
import type { GroupRecord, IntegrationRecord, OrganizationRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import type { Store } from '../store.ts'
import { readWallClock, toUtcTimestamp } from '../values/clock.ts'
import type { Random } from '../values/ids.ts'
import { toDigits } from '../values/phone-number.ts'
import { sha256 } from '../values/sha256.ts'

/** The result of a successful create request. */
export type CreatedGroup = {
  /** The group's id: the one in the request, or the generated one. */
  readonly groupId: string
  /** `repeated`: the same request had already created the group, so nothing was written and no event was published. */
  readonly outcome: 'created' | 'repeated'
  readonly group: GroupRecord
}

/** The creator of a group: an organization, and the digits of the WABA numbers that may be used. */
export type GroupCreator = {
  readonly organization: OrganizationRecord
  readonly permitted: 'all' | readonly string[]
  /** The request's `traceparent`, which the webhooks carry if it is valid. */
  readonly traceparent?: string | null
}

/**
 * A `traceparent` with exactly the fields of version 00 (W3C Trace Context, where ff is no version). Anything else is
 * ignored.
 */
const traceparentPattern = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

/** The stored fields that come from the request or its defaults. */
type RequestedFields = Pick<GroupRecord, Exclude<keyof CreateGroupRequest, 'groupId'>>

/**
 * Parses the body of a create request. Unknown fields are ignored.
 *
 * @throws RequestRefusedError if the body is not an object (`invalid_body`) or fields are invalid. The code belongs to
 * the first invalid field, and `issues` lists all invalid fields.
 */
export const parseCreateGroup = (body: unknown): CreateGroupRequest => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new RequestRefusedError('invalid_body', 'The body must be a JSON object.')
  }
  const result = validateCreateGroupRequest(body)
  if (result.success) return result.data
  const { issues } = result
  const [, code = 'invalid_body'] =
    Object.entries(createGroupErrorCodes).find(([field]) => issues.some(({ path }) => path === field)) ?? []
  const sentences = issues.map(({ message }) => message).join('; ')
  throw new RequestRefusedError(code, `${sentences}.`, { issues })
}

/**
 * Hashes a create request. Two requests are the same if their WABA numbers have the same digits and all other fields
 * are equal. Defaults are not part of the hash, so a retry has the same hash even if a default has changed.
 */
const hashRequest = (request: CreateGroupRequest): string => {
  const { wabaNumber, subject, description, joinApprovalMode, groupId } = request
  const fields = { wabaNumber: toDigits(wabaNumber), subject, description, joinApprovalMode, groupId }
  // Copies the known fields to omit unknown ones, because JSON.stringify is slow with a list of fields.
  return sha256(JSON.stringify(fields satisfies { [Field in keyof CreateGroupRequest]-?: unknown }))
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Creates a random link. Its host can never exist (RFC 2606), so it cannot lead to a real group. */
const createInviteLink = (random: Random): string => {
  let code = ''
  while (code.length < 22) code += alphabet[Math.floor(random() * alphabet.length)]
  return `https://invite.example/${code}`
}

const findIntegration = (
  { organization, permitted }: GroupCreator,
  wabaNumber: string,
): IntegrationRecord => {
  const digits = toDigits(wabaNumber)
  const integration = organization.integrations.find((each) => each.digits === digits)
  if (integration === undefined) {
    throw new RequestRefusedError(
      'integration_not_found',
      'Your organization has no integration with this wabaNumber. Check the number and the API key.',
      { issues: [{ path: 'wabaNumber', message: 'no integration has this number' }] },
    )
  }
  if (permitted !== 'all' && !permitted.includes(integration.digits)) {
    throw new RequestRefusedError(
      'waba_number_not_permitted',
      'This API key has no permission for this wabaNumber. Use another key.',
    )
  }
  return integration
}

const createConflict = (groupId: string): RequestRefusedError =>
  new RequestRefusedError(
    'group_id_conflict',
    'Another group of your organization already uses this groupId. Choose a different one.',
    { issues: [{ path: 'groupId', message: `${JSON.stringify(groupId)} is taken` }] },
  )

/**
 * Finds the group that a repeated request created. A retry must succeed even if the integration has since been
 * disabled.
 */
const findRepeated = async (store: Store, wanted: GroupRecord): Promise<CreatedGroup> => {
  const { organizationId, clientCustomGroupId: groupId, requestHash } = wanted
  const group = requestHash === null ? undefined : await store.findGroup(organizationId, groupId)
  if (group === undefined) {
    throw new RequestRefusedError('integration_disabled', 'The integration of this wabaNumber is disabled.')
  }
  if (group.requestHash !== requestHash) throw createConflict(groupId)
  return { groupId, outcome: 'repeated', group }
}

/**
 * Creates a group and publishes GROUP_CREATED. Checks that the integration exists (400), that the key has permission
 * (403), that the integration is enabled, and that the id is free (422).
 *
 * @throws RequestRefusedError if a check fails.
 */
export const createGroup = async (
  context: ServerContext,
  creator: GroupCreator,
  request: CreateGroupRequest,
): Promise<CreatedGroup> => {
  const { store, clock, random, ids, log } = context
  const integration = findIntegration(creator, request.wabaNumber)
  const wanted: GroupRecord & RequestedFields = {
    organizationId: creator.organization.id,
    clientCustomGroupId: request.groupId ?? ids('wagrp'),
    requestHash: request.groupId === undefined ? null : hashRequest(request),
    wabaNumber: integration.number,
    subject: request.subject,
    description: request.description ?? null,
    joinApprovalMode: request.joinApprovalMode ?? integration.joinApprovalMode,
    digits: integration.digits,
    inviteLink: createInviteLink(random),
    createdAt: readWallClock(clock),
  }
  if (!integration.enabled) return findRepeated(store, wanted)

  const { organizationId, clientCustomGroupId, digits, subject, inviteLink, createdAt } = wanted
  const { traceparent } = creator
  const prepared = log.prepare({
    organizationId,
    subject: toGroupSubject(clientCustomGroupId),
    channel: 'WHATSAPP',
    digits,
    occurredAt: clock.now(),
    traceparent: traceparent && traceparentPattern.test(traceparent) ? traceparent : null,
    event: {
      event: 'GROUP_CREATED',
      groupId: clientCustomGroupId,
      groupName: subject,
      inviteLink,
      groupCreatedAt: toUtcTimestamp(createdAt),
    },
  })
  const { outcome, group } = await store.createGroup({ group: wanted, event: prepared.record })
  const groupId = group.clientCustomGroupId
  if (outcome === 'same') return { groupId, outcome: 'repeated', group }
  if (outcome === 'created') {
    log.report(prepared)
    return { groupId, outcome: 'created', group }
  }
  if (request.groupId !== undefined) throw createConflict(groupId)
  // An organization has each id only once. The generated one was taken, so another one is generated.
  return createGroup(context, creator, request)
}
