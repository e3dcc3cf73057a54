import type { CreateGroupRequest, CreateGroupResponse } from './create-group.ts'
import type { ReceivedErrorBody } from './error-body.ts'
import type { SummaryRecord } from './summary.ts'

/** The bodies that a client sends or receives, by the names of their schemas. */
export type Bodies = {
  readonly CreateGroupRequest: CreateGroupRequest
  readonly CreateGroupResponse: CreateGroupResponse
  readonly SummaryRecord: SummaryRecord
  readonly ReceivedErrorBody: ReceivedErrorBody
}

/** Name of a body. */
export type BodyName = keyof Bodies
