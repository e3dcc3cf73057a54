import {
  accept,
  type BrokenServer,
  change,
  hasStatus,
  isCreate,
  isFetch,
  ownKey,
  readFields,
  readKey,
  swapStatus,
  toJson,
  withHeader,
} from '../mutations.ts'
import type { Mutation } from '../reference.ts'

const foreignKey = 'wk_acceptance_foreign_89'

/** Accepts keys that this function turns into the right one, on both endpoints. */
const readKeyAs = (read: (header: string) => string): Mutation => ({
  api: (call, respond) =>
    read(call.headers.get('authorization') ?? '') === ownKey
      ? respond({ ...call, headers: withHeader(call.headers, 'authorization', ownKey) })
      : respond(),
})

/** Responds to a repeated request with this key before anything else. */
function repeatFirst(key: string): Mutation {
  const created = new Set<unknown>()
  return {
    api: async (call, respond) => {
      const { groupId } = readFields(call)
      if (isCreate(call) && created.has(groupId) && readKey(call) === key)
        return toJson(200, { success: true, groupId }, { 'x-request-id': `req-${created.size}` })
      const response = await respond()
      if (isCreate(call) && response.status === 200) created.add(groupId)
      return response
    },
  }
}

/** Servers with one mistake each in keys, permissions and organizations. */
export const createKeyFlaws = (): BrokenServer[] => [
  {
    name: 'looks for keys with LIKE',
    caughtBy: 'create.key.a-pattern-is-401',
    ...readKeyAs((key) => (key === '%' ? ownKey : '')),
  },
  {
    name: 'requires no key',
    caughtBy: 'create.key.missing-is-401',
    ...accept((call) => readKey(call) === null),
  },
  {
    name: 'treats an empty key as valid',
    caughtBy: 'create.key.empty-is-401',
    ...accept((call) => readKey(call) === ''),
  },
  {
    name: 'accepts any key',
    caughtBy: 'create.key.unknown-is-401',
    ...accept((call) => readKey(call)?.startsWith('wk_unknown') === true),
  },
  {
    name: 'looks for the key anywhere in the header',
    caughtBy: 'create.key.prefixed-is-401',
    ...accept((call) => readKey(call)?.startsWith('xwk_') === true),
  },
  {
    name: 'ignores the permissions of keys',
    caughtBy: 'create.other-key.is-403',
    ...accept(
      (call) =>
        readKey(call) === 'wk_acceptance_other_6789' && readFields(call).subject === 'Acceptance check',
    ),
  },
  {
    name: 'does not accept Bearer',
    caughtBy: 'create.key.bearer-is-200',
    api: (call, respond) =>
      respond(
        readKey(call)?.startsWith('Bearer')
          ? { ...call, headers: withHeader(call.headers, 'authorization', 'wk_unknown') }
          : call,
      ),
  },
  { name: 'responds 403 to a missing key', caughtBy: 'create.key.missing-is-401', ...swapStatus(401, 403) },
  {
    name: 'responds 401 to a missing permission',
    caughtBy: 'create.other-key.is-403',
    ...swapStatus(403, 401),
  },
  {
    name: 'shows summaries without a key',
    caughtBy: 'fetch.key.missing-is-401',
    ...change(
      (call, { status }) => isFetch(call) && status === 401 && readKey(call) === null,
      () => ({ status: 404 }),
    ),
  },
  {
    name: 'shows summaries to any key',
    caughtBy: 'fetch.key.unknown-is-401',
    ...change(
      (call, { status }) => isFetch(call) && status === 401 && readKey(call) !== null,
      () => ({ status: 404 }),
    ),
  },
  {
    name: 'shows every key all calls',
    caughtBy: 'fetch.other-key.whatsapp-call-is-404',
    api: async (call, respond) =>
      isFetch(call) && readKey(call) === 'wk_acceptance_other_6789'
        ? respond({ ...call, headers: withHeader(call.headers, 'authorization', 'wk_acceptance_0123456789') })
        : respond(),
  },
  {
    name: 'repeats the key',
    caughtBy: 'errors.key.is-not-repeated',
    ...change(hasStatus(401), ({ body }, call) => ({
      body: { ...body, message: `The key ${readKey(call)} is invalid.` },
    })),
  },
  {
    name: 'accepts a key followed by anything',
    caughtBy: 'create.key.suffixed-is-401',
    ...readKeyAs((key) => key.slice(0, ownKey.length)),
  },
  {
    name: 'shows summaries to a key followed by anything',
    caughtBy: 'fetch.key.suffixed-is-401',
    ...readKeyAs((key) => key.slice(0, ownKey.length)),
  },
  {
    name: 'reads the first word of the header as the key',
    caughtBy: 'create.key.with-a-word-after-is-401',
    ...readKeyAs((key) => key.split(' ')[0] ?? ''),
  },
  {
    name: 'reads the second word of the header as the key',
    caughtBy: 'create.key.bearer-with-a-word-after-is-401',
    ...readKeyAs((key) => key.split(' ')[1] ?? ''),
  },
  {
    name: 'reads the first of several keys',
    caughtBy: 'create.key.in-a-list-is-401',
    ...readKeyAs((key) => key.split(',')[0] ?? ''),
  },
  {
    name: 'ignores the case of keys',
    caughtBy: 'create.key.in-the-other-case-is-401',
    ...readKeyAs((key) => (key.toLowerCase() === ownKey ? ownKey : '')),
  },
  {
    name: 'shows summaries to keys in another case',
    caughtBy: 'fetch.key.in-the-other-case-is-401',
    ...readKeyAs((key) => (key.toLowerCase() === ownKey ? ownKey : '')),
  },
  {
    name: 'accepts a key that is cut',
    caughtBy: 'create.key.cut-is-401',
    ...readKeyAs((key) => (key.length > 10 && ownKey.startsWith(key) ? ownKey : '')),
  },
  {
    name: 'shows the calls of other organizations',
    caughtBy: 'fetch.foreign-key.finds-no-pstn-call',
    api: (call, respond) =>
      isFetch(call) && call.headers.get('authorization') === foreignKey
        ? respond({ ...call, headers: withHeader(call.headers, 'authorization', ownKey) })
        : respond(),
  },
  {
    name: 'creates groups on the numbers of other organizations',
    caughtBy: 'create.foreign-key.is-refused',
    ...readKeyAs((key) => (key === foreignKey ? ownKey : '')),
  },
  {
    name: 'tells which numbers other organizations have',
    caughtBy: 'create.foreign-key.is-400',
    ...swapStatus(400, 403, (call) => isCreate(call) && call.headers.get('authorization') === foreignKey),
  },
  {
    name: 'requires a key only for WhatsApp calls',
    caughtBy: 'fetch.call-id.without-a-key-is-401',
    api: async (call, respond) => {
      const response = await respond()
      if (!isFetch(call) || response.status !== 401) return response
      const found = await respond({ ...call, headers: withHeader(call.headers, 'authorization', ownKey) })
      return found.status === 200 ? found : response
    },
  },
  {
    name: 'compares spellings of numbers when it looks for permissions',
    caughtBy: 'create.other-key.other-spelling-is-refused',
    ...accept(
      (call) =>
        readKey(call) === 'wk_acceptance_other_6789' && /^\d+ /.test(String(readFields(call).wabaNumber)),
    ),
  },
  {
    name: 'compares spellings of numbers when it looks for organizations',
    caughtBy: 'create.foreign-key.other-spelling-is-refused',
    ...accept((call) => readKey(call) === foreignKey && /^\d+ /.test(String(readFields(call).wabaNumber))),
  },
  {
    name: 'compares spellings of numbers when it looks for disabled ones',
    caughtBy: 'create.disabled-number.other-spelling-is-refused',
    ...accept(
      (call) => readKey(call) === ownKey && /^1 555-0190002$/.test(String(readFields(call).wabaNumber)),
    ),
  },
  {
    name: 'repeats responses before it looks at permissions',
    caughtBy: 'create.other-key.repeat-is-403',
    ...repeatFirst('wk_acceptance_other_6789'),
  },
  {
    name: 'tells other organizations which group ids are used',
    caughtBy: 'create.foreign-key.used-id-is-400',
    ...repeatFirst(foreignKey),
  },
  {
    name: 'looks for keys among the properties of an object',
    caughtBy: 'create.key.an-inherited-name-is-401',
    ...readKeyAs((key) => (key in {} ? ownKey : '')),
  },
  {
    name: 'shows summaries to keys that are inherited properties',
    caughtBy: 'fetch.key.an-inherited-name-is-401',
    ...readKeyAs((key) => (key in {} ? ownKey : '')),
  },
  {
    name: 'writes keys into its SQL',
    caughtBy: 'create.key.an-injection-is-401',
    ...readKeyAs((key) => (key.includes("' OR '") ? ownKey : '')),
  },
  {
    name: 'repeats a valid key',
    caughtBy: 'errors.key.is-not-repeated',
    ...change(hasStatus(403), ({ body }, call) => ({
      body: { ...body, message: `The key ${readKey(call)} may not use this number.` },
    })),
  },
  {
    name: 'tells other organizations which calls were missed',
    caughtBy: 'fetch.foreign-key.missed-call-is-404',
    api: async (call, respond) => {
      const response = await respond()
      if (!isFetch(call) || call.headers.get('authorization') !== foreignKey) return response
      const found = await respond({ ...call, headers: withHeader(call.headers, 'authorization', ownKey) })
      return found.status === 422 ? found : response
    },
  },
]
