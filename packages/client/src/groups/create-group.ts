import type { CreateGroupRequest, CreateGroupResponse } from '@wabakit/wire'
import { endpoints, validateCreateGroupRequest, validateCreateGroupResponse } from '@wabakit/wire'
import type { WithResponse } from '../api-promise.ts'
import { ValidationError } from '../errors/validation-error.ts'
import { checkRequestOptions } from '../options/check-options.ts'
import type { RequestOptions } from '../options/request-options.ts'
import type { Settings } from '../options/settings.ts'
import { send } from '../retry/send.ts'
import { generateGroupId } from './generate-group-id.ts'

export const createGroup = async (
  settings: Settings,
  input: CreateGroupRequest,
  options: RequestOptions,
): Promise<WithResponse<CreateGroupResponse>> => {
  const request = validateCreateGroupRequest(input)
  const issues = [...(request.success ? [] : request.issues), ...checkRequestOptions(options)]
  if (!request.success || issues.length > 0) throw new ValidationError('groups.create', issues)
  const { generateGroupIds, random, timeline } = settings
  const { groupId = generateGroupIds ? generateGroupId(timeline.now(), random) : undefined } = request.data
  return send(settings, {
    endpoint: 'groups.create',
    ...endpoints['groups.create'],
    body: JSON.stringify({ ...request.data, groupId }),
    groupId,
    parse: validateCreateGroupResponse,
    options,
  })
}
