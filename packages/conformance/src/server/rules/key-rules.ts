import type { ApiRequest } from '../api/api-request.ts'
import { buildCreate, buildFetch, type Lab } from '../lab.ts'
import type { ServerRule, ServerRules } from '../server-rule.ts'
import { expectStatus } from './witness.ts'

const clause = 'rule 2 of "Authentication"'

/** Requests that must be refused, by the last part of the rule id. */
const samples: Readonly<Record<string, readonly [what: string, key: Partial<ApiRequest>]>> = {
  missing: ['without a key', { key: 'none' }],
  empty: ['with an empty key', { key: 'empty' }],
  unknown: ['with a key that does not exist', { key: 'unknown' }],
  prefixed: ['with another character before its key', { keyForm: 'prefixed' }],
  suffixed: ['with another character after its key', { keyForm: 'suffixed' }],
  'with-a-word-after': ['with a word after its key', { keyForm: 'with-a-word-after' }],
  'bearer-with-a-word-after': [
    'with Bearer before its key and a word after it',
    { keyPrefix: 'Bearer ', keyForm: 'with-a-word-after' },
  ],
  'in-a-list': ['with its key and another one', { keyForm: 'in-a-list' }],
  'a-pattern': ['with a pattern of SQL instead of its key', { keyForm: 'a-pattern' }],
  'an-injection': ['with a condition of SQL instead of its key', { keyForm: 'an-injection' }],
  'an-inherited-name': [
    'with the name of an inherited property of JavaScript objects instead of its key',
    { keyForm: 'an-inherited-name' },
  ],
  cut: ['without the last character of its key', { keyForm: 'cut' }],
  'in-the-other-case': ['with its key in the other case', { keyForm: 'in-the-other-case' }],
}

const endpoints = {
  create: ['A request', (lab: Lab, key: Partial<ApiRequest>) => buildCreate(lab, {}, key)],
  fetch: ['A fetch', (_: Lab, key: Partial<ApiRequest>) => buildFetch('check', key)],
} as const

const toRules = (endpoint: keyof typeof endpoints): ServerRules => {
  const [request, build] = endpoints[endpoint]
  return Object.fromEntries(
    Object.entries(samples).map(([id, [what, key]]): [string, ServerRule] => {
      const { examine, ...expectation } = expectStatus(401, (lab) => build(lab, key))
      const rule: ServerRule = {
        title: `${request} ${what} is refused`,
        clause,
        ...expectation,
        // A key without letters is the same in any case.
        examine: async (examination) =>
          key.keyForm === 'in-the-other-case' && !examination.lab.keyHasLetters
            ? { kept: undefined, observed: 'the key has no letters' }
            : examine(examination),
      }
      return [`${endpoint}.key.${id}-is-401`, rule]
    }),
  )
}

/** Rules for requests whose key is missing, wrong, or altered. */
export const keyRules: ServerRules = { ...toRules('create'), ...toRules('fetch') }
