import {
  accept,
  acceptAs,
  acceptField,
  acceptText,
  type BrokenServer,
  change,
  countCharacters,
  countingGraphemes,
  encode,
  isCreate,
  omit,
  readFields,
  refuseField,
  refuseText,
  swapStatus,
  toJson,
  withHeader,
} from '../mutations.ts'
import type { Mutation } from '../reference.ts'

const rememberCreates = (
  respondAgain: (first: Response, count: number) => Promise<Response | undefined>,
): Mutation => {
  const seen = new Map<unknown, number>()
  return {
    api: async (call, respond) => {
      const response = await respond()
      const { groupId } = readFields(call)
      if (!isCreate(call) || groupId === undefined || response.status !== 200) return response
      const count = (seen.get(groupId) ?? 0) + 1
      seen.set(groupId, count)
      return count === 1 ? response : ((await respondAgain(response, count)) ?? response)
    },
  }
}

const repeatGeneratedIds = (): Mutation => {
  let count = 0
  return change(
    (call, { status }) => isCreate(call) && status === 200 && readFields(call).groupId === undefined,
    ({ body }) => {
      count += 1
      return { body: { ...body, groupId: `group-${count % 4}` } }
    },
  )
}

/** Returns another group id than the one that was supplied. */
const returnIdAs = (edit: (groupId: string) => string): Mutation =>
  change(
    (call, { status }) => isCreate(call) && status === 200 && readFields(call).groupId !== undefined,
    ({ body }) => ({ body: { ...body, groupId: edit(String(body.groupId)) } }),
  )

function returnFirstSpelling(): Mutation {
  const first = new Map<string, string>()
  return returnIdAs((groupId) => {
    const known = first.get(groupId.toLowerCase()) ?? groupId
    first.set(groupId.toLowerCase(), known)
    return known
  })
}

/** Applies a request with a used id although it gets a 422, so that the first request no longer fits the group. */
function applyRefused(): Mutation {
  const applied = new Map<unknown, string | undefined>()
  return {
    api: async (call, respond) => {
      const response = await respond()
      const { groupId } = readFields(call)
      if (!isCreate(call) || groupId === undefined) return response
      if (response.status === 422) applied.set(groupId, call.text)
      const isOther = applied.has(groupId) && applied.get(groupId) !== call.text
      return response.status === 200 && isOther ? refuseUsed(response.headers) : response
    },
  }
}

const refuseUsed = (headers: Headers): Response =>
  toJson(
    422,
    { statusCode: 422, error: 'Unprocessable Content', message: 'Used.', code: 'group_id_conflict' },
    headers,
  )

/** Remembers the group ids of requests that get a 403. */
function claimIds(): Mutation {
  const claimed = new Set<unknown>()
  return {
    api: async (call, respond) => {
      const response = await respond()
      const { groupId } = readFields(call)
      if (!isCreate(call)) return response
      if (response.status === 403) claimed.add(groupId)
      return response.status === 200 && claimed.has(groupId) ? refuseUsed(response.headers) : response
    },
  }
}

/** Keeps the group id of a request in a variable that all requests share. */
function shareGroupId(): Mutation {
  let latest: unknown
  return {
    api: async (call, respond) => {
      const { groupId } = readFields(call)
      if (!isCreate(call) || groupId === undefined) return respond()
      latest = groupId
      const response = await respond()
      return response.status === 200
        ? toJson(200, { success: true, groupId: latest }, response.headers)
        : response
    },
  }
}

/** Servers with one mistake each in group ids and responses. */
export const createGroupFlaws = (): BrokenServer[] => [
  {
    name: 'accepts a group id of 51 characters',
    caughtBy: 'create.group-id.51-is-400',
    ...acceptField('groupId', (value) => countCharacters(value) === 51),
  },
  {
    name: 'truncates a long group id',
    caughtBy: 'create.group-id.51-is-400',
    ...acceptField('groupId', (value) => countCharacters(value) > 50),
  },
  {
    name: 'accepts a number as group id',
    caughtBy: 'create.group-id.number-is-400',
    ...acceptField('groupId', (value) => typeof value === 'number'),
  },
  {
    name: 'treats an empty group id as absent',
    caughtBy: 'create.group-id.empty-is-400',
    ...acceptField('groupId', (value) => value === ''),
  },
  {
    name: 'requires a group id',
    caughtBy: 'create.group-id.omitted-is-200',
    ...refuseField('groupId', (value) => value === undefined),
  },
  {
    name: 'allows 49 characters in a group id',
    caughtBy: 'create.group-id.50-is-200',
    ...refuseField('groupId', (value) => countCharacters(value) === 50 && !String(value).includes('🙂')),
  },
  {
    name: 'responds 201 for a new group',
    caughtBy: 'create.valid.is-200',
    ...swapStatus(200, 201, isCreate),
  },
  {
    name: 'returns success: "true"',
    caughtBy: 'create.response.success-is-true',
    ...change(
      (call, { status }) => isCreate(call) && status === 200,
      ({ body }) => ({ body: { ...body, success: 'true' } }),
    ),
  },
  {
    name: 'omits success',
    caughtBy: 'create.response.success-is-true',
    ...change(
      (call, { status }) => isCreate(call) && status === 200,
      ({ body }) => ({ body: omit(body, 'success') }),
    ),
  },
  {
    name: 'wraps the response in data',
    caughtBy: 'create.response.fields-are-typed',
    ...change(
      (call, { status }) => isCreate(call) && status === 200,
      ({ body }) => ({ body: { data: body } }),
    ),
  },
  {
    name: 'returns a different id',
    caughtBy: 'create.group-id.is-the-supplied-one',
    ...change(
      (call, { status }) => isCreate(call) && status === 200 && readFields(call).groupId !== undefined,
      ({ body }) => ({ body: { ...body, groupId: `own-${body.groupId}` } }),
    ),
  },
  {
    name: 'generates no id',
    caughtBy: 'create.group-id.omitted-is-generated',
    ...change(
      (call, { status }) => isCreate(call) && status === 200 && readFields(call).groupId === undefined,
      ({ body }) => ({ body: omit(body, 'groupId') }),
    ),
  },
  {
    name: 'generates the same id every time',
    caughtBy: 'create.group-id.generated-ids-differ',
    ...change(
      (call, { status }) => isCreate(call) && status === 200 && readFields(call).groupId === undefined,
      ({ body }) => ({ body: { ...body, groupId: 'group-1' } }),
    ),
  },
  {
    name: 'sends text/html',
    caughtBy: 'create.response.is-json',
    api: async (call, respond) => {
      const response = await respond()
      return isCreate(call) && response.status === 200
        ? new Response(await response.text(), {
            status: 200,
            headers: withHeader(response.headers, 'content-type', 'text/html'),
          })
        : response
    },
  },
  {
    name: 'refuses a repeated request',
    caughtBy: 'create.repeat.is-the-same-group',
    ...rememberCreates(async ({ headers }) =>
      toJson(
        422,
        { statusCode: 422, error: 'Unprocessable Content', message: 'Used.', code: 'group_id_conflict' },
        headers,
      ),
    ),
  },
  {
    name: 'creates two groups for one repeat',
    caughtBy: 'create.repeat.is-the-same-group',
    ...rememberCreates(async ({ headers }, count) =>
      toJson(200, { success: true, groupId: `second-${count}` }, headers),
    ),
  },
  {
    name: 'accepts another request with a used id',
    caughtBy: 'create.repeat.changed-is-422',
    ...accept((call) => readFields(call).subject === 'Another subject'),
  },
  {
    name: 'fails on concurrent requests',
    caughtBy: 'create.repeat.concurrent-is-one-group',
    ...rememberCreates(async ({ headers }, count) =>
      count > 4
        ? toJson(
            500,
            { statusCode: 500, error: 'Internal Server Error', message: 'Oops.', code: 'internal_error' },
            headers,
          )
        : undefined,
    ),
  },
  {
    name: 'writes group ids in lower case',
    caughtBy: 'create.group-id.is-the-supplied-one',
    ...change(
      (call, sent) => isCreate(call) && sent.status === 200,
      ({ body }) => ({ body: { ...body, groupId: String(body.groupId).toLowerCase() } }),
    ),
  },
  {
    name: 'accepts NUL in a group id',
    caughtBy: 'create.group-id.nul-is-400',
    ...acceptText('groupId', '\0'),
  },
  {
    name: 'accepts a lone surrogate in a group id',
    caughtBy: 'create.group-id.lone-surrogate-is-400',
    ...acceptText('groupId', '\ud800'),
  },
  {
    name: 'generates duplicate group ids',
    caughtBy: 'create.group-id.generated-ids-stay-different',
    ...repeatGeneratedIds(),
  },
  {
    name: 'counts the graphemes of a group id',
    caughtBy: 'create.group-id.51-in-few-graphemes-is-400',
    ...countingGraphemes('groupId', 50),
  },
  {
    name: 'counts the bytes of a group id',
    caughtBy: 'create.group-id.50-non-ascii-is-200',
    ...refuseText('groupId', (text) => encode(text).length > 50),
  },
  {
    name: 'cuts group ids to 36 characters in responses',
    caughtBy: 'create.group-id.is-the-supplied-one',
    ...returnIdAs((groupId) => [...groupId].slice(0, 36).join('')),
  },
  {
    name: 'trims group ids in responses',
    caughtBy: 'create.group-id.is-the-supplied-one',
    ...returnIdAs((groupId) => groupId.trim()),
  },
  {
    name: 'composes the characters of group ids in responses',
    caughtBy: 'create.group-id.is-the-supplied-one',
    ...returnIdAs((groupId) => groupId.normalize('NFC')),
  },
  {
    name: 'finds a group by its id in any case',
    caughtBy: 'create.group-id.is-the-supplied-one',
    ...returnFirstSpelling(),
  },
  {
    name: 'returns group ids of digits as numbers without their zeros',
    caughtBy: 'create.group-id.is-the-supplied-one',
    ...returnIdAs((groupId) => (/^\d+$/.test(groupId) ? String(Number(groupId)) : groupId)),
  },
  {
    name: 'refuses group ids of digits',
    caughtBy: 'create.group-id.digits-is-200',
    ...refuseText('groupId', (groupId) => /^\d+$/.test(groupId)),
  },
  {
    name: 'refuses another request with a used id, but applies it',
    caughtBy: 'create.repeat.refused-changes-nothing',
    ...applyRefused(),
  },
  {
    name: 'compares only the subjects of repeated requests',
    caughtBy: 'create.repeat.changed-is-422',
    ...accept((call) => readFields(call).description === 'Another description'),
  },
  {
    name: 'ignores joinApprovalMode when it compares requests',
    caughtBy: 'create.repeat.changed-is-422',
    ...accept(({ text = '' }) => text.includes('A description') && text.includes('approval_required')),
  },
  {
    name: 'uses up the group ids of refused requests',
    caughtBy: 'create.group-id.is-free-after-a-refusal',
    ...claimIds(),
  },
  {
    name: 'responds to the latest of concurrent requests',
    caughtBy: 'create.group-id.of-its-own-request',
    ...shareGroupId(),
  },
  {
    name: 'reads a list of one group id as the group id',
    caughtBy: 'create.group-id.list-is-400',
    ...acceptField('groupId', Array.isArray),
  },
  {
    name: 'trims group ids before it counts their characters',
    caughtBy: 'create.group-id.51-with-a-space-is-400',
    ...acceptAs('groupId', (groupId) => groupId.trim()),
  },
  {
    name: 'refuses group ids with punctuation',
    caughtBy: 'create.group-id.punctuation-is-200',
    ...refuseText('groupId', (groupId) => groupId.includes('/')),
  },
]
