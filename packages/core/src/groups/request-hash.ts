import type { CreateGroupRequest } from '@wabakit/contract'
import { sha256 } from '../values/sha256.ts'

/**
 * Hash of a create request: of its five fields as sent, before any default, so that the same request again is known
 * as such even when a default has changed since.
 */
export const requestHash = (request: CreateGroupRequest): string => {
  const { wabaNumber, subject, description = null, joinApprovalMode = null, groupId = null } = request
  return sha256(JSON.stringify([wabaNumber, subject, description, joinApprovalMode, groupId]))
}
