import type * as wire from '@wabakit/wire'
import * as definitions from '@wabakit/wire/definitions'
import * as z from 'zod/mini'

/** The network of a call or a number: `PSTN` (telephone) or `WHATSAPP`. */
export const Channel = /* @__PURE__ */ z.enum(definitions.channels)
export type Channel = wire.Channel

/** The direction of a call: `INCOMING` (customer to business) or `OUTGOING` (business to customer). */
export const CallDirection = /* @__PURE__ */ z.enum(definitions.callDirections)
export type CallDirection = wire.CallDirection

/** The status of a call. A live service also sends `REJECT`, `MISSED` and `FAILED`. */
export const CallStatus = /* @__PURE__ */ z.enum(definitions.callStatuses)
export type CallStatus = wire.CallStatus

/** Party that handled the call: `AI_BOT`, or `AGENT` for a team member. */
export const CallType = /* @__PURE__ */ z.enum(definitions.callTypes)
export type CallType = wire.CallType

/** Trigger of the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`). */
export const TriggeredVia = /* @__PURE__ */ z.enum(definitions.triggers)
export type TriggeredVia = wire.TriggeredVia

/**
 * Determines who may join a group: anyone with the link (`auto_approve`), or only people an admin approves
 * (`approval_required`).
 */
export const JoinApprovalMode = /* @__PURE__ */ z.enum(definitions.joinApprovalModes)
export type JoinApprovalMode = wire.JoinApprovalMode
