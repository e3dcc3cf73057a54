import type { CreateGroupRequest, CreateGroupResponse, Issue } from '@wabakit/wire'
import { endpoints, validateCreateGroupRequest, validateCreateGroupResponse } from '@wabakit/wire'
import { isObject, type WithResponse } from './api-call.ts'
import { ValidationError } from './errors/wabakit-error.ts'
import { checkOptions, requestRules } from './options/check-options.ts'
import type { RequestOptions } from './options/request-options.ts'
import type { Settings } from './options/settings.ts'
import { send } from './retry/send.ts'

/** Crockford's Base32, as in ULIDs. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Generates a group id: `wagrp_` and a ULID (10 characters of time and 16 random ones). */
const generateGroupId = ({ clock, random }: Settings): string => {
  let id = ''
  // `charAt` ignores the fraction of an index.
  for (let time = clock.now(); id.length < 10; time /= 32) id = alphabet.charAt(time % 32) + id
  while (id.length < 26) id += alphabet.charAt(random() * 32)
  return `wagrp_${id}`
}

/**
 * Reports the first character of a number that is not ASCII, such as an invisible mark that was pasted with it.
 * Servers reject such a number, or read it as a different one.
 */
const checkNumber = (number: string): Issue[] => {
  const code = /[^\0-\x7f]/u.exec(number)?.[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  const message = `wabaNumber contains U+${code}: type the number again`
  return code === undefined ? [] : [{ path: 'wabaNumber', message }]
}

/**
 * Reads the response. The documentation of live services does not require `success`, so a response without it
 * counts as a success.
 */
const parseResponse = (json: unknown) =>
  validateCreateGroupResponse(isObject(json) && json.success == null ? { ...json, success: true } : json)

export const createGroup = async (
  settings: Settings,
  input: CreateGroupRequest,
  options: RequestOptions,
): Promise<WithResponse<CreateGroupResponse>> => {
  const request = validateCreateGroupRequest(input)
  const issues = [
    ...(request.success ? checkNumber(request.data.wabaNumber) : request.issues),
    ...checkOptions(options, requestRules),
  ]
  if (!request.success || issues.length > 0) throw new ValidationError('groups.create', issues)
  const { groupId = settings.generateGroupIds ? generateGroupId(settings) : undefined } = request.data
  return send(settings, {
    endpoint: 'groups.create',
    ...endpoints['groups.create'],
    body: JSON.stringify({ ...request.data, groupId }),
    groupId,
    parse: parseResponse,
    options,
  })
}
