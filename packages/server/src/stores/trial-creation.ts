import { randomUUID } from 'node:crypto'
import type { EventRecord, GroupRecord } from '@wabakit/core'

/**
 * Builds a group and the event of its creation, which a store creates and rolls back. Only this shows whether groups can be
 * created: triggers, constraints and permissions differ from table to table.
 */
export const buildTrialCreation = ({
  organizationId,
  digits,
}: Pick<GroupRecord, 'organizationId' | 'digits'>): {
  readonly group: GroupRecord
  readonly event: EventRecord
} => {
  const id = `trial-${randomUUID()}`
  return {
    group: {
      organizationId,
      clientCustomGroupId: id,
      requestHash: null,
      wabaNumber: digits,
      digits,
      subject: 'trial',
      description: null,
      joinApprovalMode: 'auto_approve',
      inviteLink: null,
      createdAt: 0,
    },
    event: {
      id,
      organizationId,
      name: 'GROUP_CREATED',
      subject: id,
      channel: 'WHATSAPP',
      digits,
      payload: '{}',
      waitsFor: null,
      traceparent: null,
      hasCustomPayload: false,
      occurredAt: 0,
    },
  }
}
