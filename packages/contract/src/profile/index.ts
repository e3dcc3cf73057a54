export { addNotSeen, addSeen, findContradictions, listAnswers, listVariants } from './answers.ts'
export { describeFields, findKind, findScheme, isStateField, playField, readPath } from './fields.ts'
export {
  type ApiQuestion,
  apiQuestions,
  type EventForm,
  eventFields,
  eventForms,
  type FieldKind,
  findEventForm,
  type ResponseHeader,
  responseFields,
  responseHeaders,
} from './known-names.ts'
export {
  type Answer,
  createEmptyProfile,
  gaps,
  type MeasuredDeliveries,
  MeasuredProfile,
  maxAttempt,
  type Repeat,
  ResponseForm,
} from './measured-profile.ts'
