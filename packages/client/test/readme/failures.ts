import { isApiError, OutcomeUnknownError, RateLimitError, ValidationError } from 'wabakit'

export const getAdviceFor = (error: unknown): string => {
  if (error instanceof ValidationError) return error.issues.map(({ message }) => message).join(', ')
  if (error instanceof OutcomeUnknownError) return `wait for GROUP_CREATED of ${error.groupId}`
  if (error instanceof RateLimitError) return `retry in ${error.retryAfterMs ?? 1_000} ms`
  if (isApiError(error)) return `${error.status} ${error.code}, ask about ${error.requestId}`
  throw error
}
