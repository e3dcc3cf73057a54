// For hosts of the control API: the server and the mock

export { parsePosition } from '../storage/cursors.ts'
export { createControlApi } from './control-api.ts'
export type { Json, MockAccount, MockControl, MockTenantControl, TestLogEntry } from './mock-control.ts'
export { createControlOpenApi } from './openapi.ts'
export type { ControlContext, Operation } from './operation.ts'
export { operations } from './operations/index.ts'
export type { ClockView, PendingWaitView, TestLogEntryView } from './operations/mock.ts'
export { list, named, readPages, ServerInfo } from './schemas.ts'
export type { LiveAttempt } from './stream/live-attempt.ts'
export { createLiveStream, type LiveStream } from './stream/live-stream.ts'
export { explainSummary } from './timeline/explain-summary.ts'
export type { ArrivalView } from './views/arrival.ts'
export { CallView, ListedCallView } from './views/call.ts'
export { CustomerView } from './views/customer.ts'
export {
  AttemptView,
  DeliveryView,
  SentRequestView,
  showAttempt,
  showDelivery,
  type WireAttempt,
} from './views/delivery.ts'
export { EventDetailsView, EventView } from './views/event.ts'
export { EventTypeView } from './views/event-type.ts'
export { GroupView, ListedGroupView, ParticipantView } from './views/group.ts'
export { ApiKeyView, NewApiKeyView, OrganizationView } from './views/organization.ts'
export { OverviewView, SubscriptionOverviewView } from './views/overview.ts'
export { ApiRequestDetailsView, ApiRequestView } from './views/request.ts'
export { SearchHitView } from './views/search.ts'
export { ListedSubscriptionView, SubscriptionSecretView, SubscriptionView } from './views/subscription.ts'
export type { SummaryStatusView, TimelineEntry, TimelineView } from './views/timeline.ts'
export type { WaitView } from './views/wait.ts'
