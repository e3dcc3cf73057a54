import { ApiError } from './api-error.ts'

/** 5xx: the service failed. After a create this does not prove that no group exists: repeat it with the same `groupId`. */
export class ServerError extends ApiError {
  override get name() {
    return 'ServerError' as const
  }
}
