// For receivers: validates events without zod.
export { eventNames, isEventName } from './event-name.ts'
export type { Issue } from './issue.ts'
export type { Validation } from './validate.ts'
export { validateEvent } from './validate-event.ts'
export type { EventName, WebhookEvent, WebhookEventOf } from './webhook-event.ts'
