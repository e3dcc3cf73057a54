import { swapCase } from '../../swap-case.ts'
import type { Examination } from '../examination.ts'
import { refuseOnOtherRoutes } from './forged-routes.ts'
import { type ForgedChecks, type Forgery, otherRoutes, refuse, without } from './forgery.ts'
import { refuseFromNearby, varyType, writePatterns } from './unproven.ts'

const withCredentials =
  (change: (value: string, examination: Examination) => string): Forgery =>
  ({ headers }, examination) => ({
    headers: {
      ...headers,
      ...Object.fromEntries(
        Object.entries(examination.credentials).map(([name, value]) => [name, change(value, examination)]),
      ),
    },
  })

export const withoutCredentials: Forgery = (genuine, examination) =>
  without(...Object.keys(examination.credentials))(genuine, examination)

/** Replaces a letter or digit with another one. */
const shiftCharacter = (character: string): string => (character === 'a' ? 'b' : 'a')

/** Creates a forgery that changes the credentials but keeps their scheme. */
const withinScheme = (change: (credential: string) => string): Forgery =>
  withCredentials((value) => {
    const [, scheme = '', credential = ''] = /^((?:basic|bearer)\s+)?(.*)$/i.exec(value) ?? []
    return scheme + change(credential)
  })

/** Creates a forgery that changes the user or the password of HTTP Basic. Other credentials become random. */
const withinBasic = (change: (user: string, password: string) => string): Forgery =>
  withCredentials((value, { random }) => {
    const [, encoded = ''] = /^basic\s+(\S+)$/i.exec(value) ?? []
    if (encoded === '') return random.bytes(value.length).toString('hex').slice(0, value.length)
    const [user = '', ...password] = Buffer.from(encoded, 'base64').toString().split(':')
    return `Basic ${Buffer.from(change(user, password.join(':'))).toString('base64')}`
  })

const credentialFix = 'Compare the whole header with the expected value, in constant time.'

export const credentialChecks: ForgedChecks = {
  'refuses-missing-credentials': {
    title: 'Refuses a delivery without credentials',
    risk: 'A stranger who knows the URL can write into your system.',
    fix: 'Refuse with 401 unless the header is present and correct.',
    ...refuse({
      'no credentials': withoutCredentials,
      'an empty header': withCredentials(() => ''),
      ...varyType(withoutCredentials),
    }),
  },
  'refuses-wrong-credentials': {
    title: 'Refuses wrong credentials',
    risk: 'A stranger can invent credentials and write into your system.',
    fix: credentialFix,
    ...refuse({
      'other credentials': withinScheme(({ length }) => Buffer.from(`x:${length}`).toString('base64')),
      'credentials of the same length': withinScheme((credential) =>
        credential.replace(/\w/g, shiftCharacter),
      ),
      'the credentials undefined': withinScheme(() => 'undefined'),
      ...writePatterns('the credentials', (pattern) => withinScheme(() => pattern)),
      ...writePatterns('the user and the password', (pattern) => withinBasic(() => `${pattern}:${pattern}`)),
      'no user and no password': withinBasic(() => ':'),
      'the right user with another password': withinBasic((user) => `${user}:wrong`),
      'the right user without a password': withinBasic((user) => `${user}:`),
      'another user with the right password': withinBasic((_, password) => `wrong:${password}`),
      'the credentials in the other case': withinScheme((credential) =>
        // Credentials without letters are the same in either case.
        swapCase(credential) === credential ? `${credential}x` : swapCase(credential),
      ),
    }),
  },
  'refuses-credentials-from-nearby': {
    title: 'Refuses a delivery without credentials that claims to come from a trusted address',
    ...refuseFromNearby(withoutCredentials),
  },
  [otherRoutes.credentials]: {
    title: 'Asks for credentials whatever the method, the query and the spelling of the path',
    risk: 'A router sends PUT, a path with a slash at its end, or one with a query, to the same handler, past the comparison.',
    ...refuseOnOtherRoutes(withoutCredentials),
  },
  'refuses-credentials-elsewhere': {
    title: 'Refuses credentials in the query or in a cookie',
    severity: 'high',
    clause: 'CWE-598, sensitive information in a query',
    risk: 'URLs appear in the logs of proxies and analytics. A stranger who reads one can send anything.',
    fix: 'Read the credentials from their header alone.',
    ...refuse({
      'the credentials in the query': (genuine, examination) => {
        const query = new URLSearchParams(examination.url.search)
        const [value = ''] = Object.values(examination.credentials)
        for (const name of ['token', 'secret', 'key']) query.set(name, value.replace(/^\w+ /, ''))
        return { ...withoutCredentials(genuine, examination), query: `?${query}` }
      },
      'the credentials in a cookie': (genuine, examination) => {
        const { headers = {} } = withoutCredentials(genuine, examination)
        const [value = ''] = Object.values(examination.credentials)
        return { headers: { ...headers, cookie: `token=${encodeURIComponent(value.replace(/^\w+ /, ''))}` } }
      },
    }),
  },
  'refuses-partial-credentials': {
    title: 'Refuses partial credentials',
    risk: 'Comparing prefixes lets an attacker guess the credentials character by character.',
    fix: credentialFix,
    ...refuse({
      'the beginning of the credentials': withinScheme((credential) =>
        credential.slice(0, credential.length / 2),
      ),
      'the credentials without their last character': withinScheme((credential) => credential.slice(0, -1)),
      'the credentials without their first character': withinScheme((credential) => credential.slice(1)),
      'the credentials and more after them': withinScheme((credential) => `${credential}AAAA`),
      'the credentials after something else': withinScheme((credential) => `AAAA${credential}`),
      'a list of credentials, the right ones last': withinScheme((credential) => `AAAA, ${credential}`),
    }),
  },
}
