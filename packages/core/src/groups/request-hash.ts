import type { CreateGroupRequest } from '@wabakit/contract'
import { digitsOf } from '../values/phone-number.ts'
import { sha256 } from '../values/sha256.ts'

/**
 * Returns the hash of a create request: of the digits of its number and of its other fields as sent, before any default,
 * so that a repeated request is recognized even if a default has changed since.
 */
export const requestHash = (request: CreateGroupRequest): string => {
  const { wabaNumber, subject, description = null, joinApprovalMode = null, groupId = null } = request
  return sha256(
    JSON.stringify([digitsOf(wabaNumber) ?? wabaNumber, subject, description, joinApprovalMode, groupId]),
  )
}
