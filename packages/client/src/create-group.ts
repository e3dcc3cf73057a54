import { CreateGroupRequest, CreateGroupResponse, endpoints, issuesOf } from '@wabakit/contract'
import { type ApiPromise, apiPromiseOf } from './api-promise.ts'
import type { RequestOptions } from './client-options.ts'
import { ValidationError } from './errors/validation-error.ts'
import { send } from './send.ts'
import type { Settings } from './settings.ts'

/** Calls the create endpoint. */
export const createGroup = (
  settings: Settings,
  input: CreateGroupRequest,
  options: RequestOptions,
): ApiPromise<CreateGroupResponse> => {
  const call = async () => {
    const request = CreateGroupRequest.safeParse(input)
    if (!request.success) throw new ValidationError('The group', issuesOf(request.error))
    return send(settings, {
      endpoint: 'groups.create',
      ...endpoints['groups.create'],
      body: JSON.stringify(request.data),
      groupId: request.data.groupId,
      parse: (json) => {
        const response = CreateGroupResponse.safeParse(json)
        return response.success ? { data: response.data } : { issues: issuesOf(response.error) }
      },
      options,
    })
  }
  return apiPromiseOf(call())
}
