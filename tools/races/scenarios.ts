import type { OperationName } from './operations.ts'

const settlements = ['settle', 'fail', 'gone'] as const
const changes = ['publish', 'takeOver', 'disable', 'remove', 'erase'] as const

/** Pairs of operations on the same records, most important first, and some groups of three. */
export const scenarios: readonly (readonly OperationName[])[] = [
  ...settlements.flatMap((settlement) => changes.map((change) => [settlement, change] as const)),
  ['settle', 'settleAgain'],
  ['publish', 'publishAlso'],
  ['publish', 'disable'],
  ['publish', 'remove'],
  ['publish', 'erase'],
  ['publish', 'removeOrganization'],
  ['publish', 'takeOver'],
  ['disable', 'remove'],
  ['disable', 'erase'],
  ['remove', 'removeAlso'],
  ['remove', 'erase'],
  ['remove', 'removeOrganization'],
  ['takeOver', 'disable'],
  ['takeOver', 'remove'],
  ['takeOver', 'erase'],
  ['settle', 'removeOrganization'],
  ['settle', 'cancel'],
  ['settle', 'retry'],
  ['settle', 'resend'],
  ['fail', 'cancel'],
  ['fail', 'retry'],
  ['resend', 'erase'],
  ['resend', 'remove'],
  ['resend', 'disable'],
  ['cancel', 'erase'],
  ['takeOver', 'takeOverAlso'],
  ['takeOver', 'renew'],
  ['takeOver', 'give'],
  ['takeOver', 'end'],
  ['settle', 'renew'],
  ['settle', 'give'],
  ['settle', 'end'],
  ['renew', 'end'],
  ['erase', 'endCall'],
  ['erase', 'summarize'],
  ['erase', 'leave'],
  ['prune', 'summarize'],
  ['prune', 'join'],
  ['settle', 'takeOver', 'renew'],
  ['settle', 'takeOver', 'give'],
  ['settle', 'takeOver', 'disable'],
  ['publish', 'publishAlso', 'settle'],
  ['publish', 'settle', 'erase'],
  // While the first one holds the last record, the others wait for it, or for each other.
  ['endCall', 'erase', 'endCalls'],
  ['leave', 'erase', 'leaveAll'],
]

/** Scenarios with too many orders to run them all, and the switches to which they are limited. */
export const maxSwitches: Readonly<Record<string, number>> = {
  'remove,removeOrganization': 2,
  'endCall,erase,endCalls': 1,
  'leave,erase,leaveAll': 1,
}
