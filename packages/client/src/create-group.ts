import type { CreateGroupRequest, CreateGroupResponse, Issue } from '@wabakit/wire'
import { endpoints, validateCreateGroupRequest, validateCreateGroupResponse } from '@wabakit/wire'
import { isObject, type WithResponse } from './api-call.ts'
import { ValidationError } from './errors/wabakit-error.ts'
import { checkRequestOptions } from './options/check-options.ts'
import type { RequestOptions } from './options/request-options.ts'
import type { Settings } from './options/settings.ts'
import { send } from './retry/send.ts'

/** Crockford's Base32, as in ULIDs. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Generates a group id: `wagrp_` and a ULID (10 characters of time and 16 random ones). */
const generateGroupId = ({ clock, random }: Settings): string => {
  let time = clock.now()
  let id = ''
  for (let index = 0; index < 10; index++) {
    id = alphabet.charAt(time % 32) + id
    time = Math.floor(time / 32)
  }
  while (id.length < 26) id += alphabet.charAt(random() * 32)
  return `wagrp_${id}`
}

/** Characters that look like nothing, a space or a hyphen, but are none in ASCII. Copying from a document adds them. */
const kinds = [
  [/\p{Cf}/u, 'an invisible mark'],
  [/\p{Z}/u, 'a space that is not the plain one'],
  [/\p{Pd}|\u2212/u, 'a dash that is not a hyphen'],
] as const

/** Names a character in a pasted number that servers refuse or take for another number, and that nobody can see. */
const checkNumber = (number: unknown): Issue[] => {
  const character = /[^\0-\x7f]/u.exec(`${number}`)?.[0]
  if (character === undefined) return []
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  const kind = kinds.find(([pattern]) => pattern.test(character))?.[1] ?? 'not part of a number'
  return [{ path: 'wabaNumber', message: `wabaNumber contains U+${code}, ${kind}: type the number again` }]
}

/**
 * Reads the response. Pages about a live service do not require `success`, so only another value than `true` means that
 * the group was not created.
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
    ...checkRequestOptions(options),
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
