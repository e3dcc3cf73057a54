/**
 * A string with known values, to which a service may add others. Editors suggest the known ones, and a `switch` needs a
 * default.
 */
export type OpenEnum<Known extends string> = Known | (string & {})

/** The network of a call or a number: `PSTN` (telephone) or `WHATSAPP`. */
export type Channel = 'PSTN' | 'WHATSAPP'
export const channels: readonly Channel[] = ['PSTN', 'WHATSAPP']

/** The direction of a call: `INCOMING` (customer to business) or `OUTGOING` (business to customer). */
export type CallDirection = 'INCOMING' | 'OUTGOING'
export const callDirections: readonly CallDirection[] = ['INCOMING', 'OUTGOING']

/** The status of a call. A live service also sends `REJECT`, `MISSED` and `FAILED`. */
export type CallStatus = 'INITIATED' | 'IN_PROGRESS' | 'END' | 'REJECT' | 'MISSED' | 'FAILED'
export const callStatuses: readonly CallStatus[] = [
  'INITIATED',
  'IN_PROGRESS',
  'END',
  'REJECT',
  'MISSED',
  'FAILED',
]

/** Party that handled the call: `AI_BOT`, or `AGENT` for a team member. */
export type CallType = 'AI_BOT' | 'AGENT'
export const callTypes: readonly CallType[] = ['AI_BOT', 'AGENT']

/** Trigger of the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`). */
export type TriggeredVia = 'INBOUND' | 'CAMPAIGN' | 'API' | 'UI'
export const triggers: readonly TriggeredVia[] = ['INBOUND', 'CAMPAIGN', 'API', 'UI']

/**
 * Determines who may join a group: anyone with the link (`auto_approve`), or only people an admin approves
 * (`approval_required`).
 */
export type JoinApprovalMode = 'auto_approve' | 'approval_required'
export const joinApprovalModes: readonly JoinApprovalMode[] = ['auto_approve', 'approval_required']
