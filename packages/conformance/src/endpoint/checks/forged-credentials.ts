import { type ForgedChecks, type Forgery, refuse, without } from './forgery.ts'

const withCredentials =
  (change: (value: string) => string): Forgery =>
  ({ headers }, { credentials }) => ({
    headers: {
      ...headers,
      ...Object.fromEntries(Object.entries(credentials).map(([name, value]) => [name, change(value)])),
    },
  })

/** Changes the credentials but keeps their scheme. */
const withinScheme = (change: (credential: string) => string): Forgery =>
  withCredentials((value) => {
    const [, scheme = '', credential = ''] = /^((?:basic|bearer)\s+)?(.*)$/i.exec(value) ?? []
    return scheme + change(credential)
  })

const credentialFix = 'Compare the whole header with the expected value, in constant time.'

export const credentialChecks: ForgedChecks = {
  'refuses-missing-credentials': {
    title: 'Refuses a delivery without credentials',
    risk: 'A stranger who knows the URL can write into your system.',
    fix: 'Refuse with 401 unless the header is present and correct.',
    ...refuse({
      'no credentials': (genuine, examination) =>
        without(...Object.keys(examination.credentials))(genuine, examination),
      'an empty header': withCredentials(() => ''),
    }),
  },
  'refuses-wrong-credentials': {
    title: 'Refuses wrong credentials',
    risk: 'A stranger can invent credentials and write into your system.',
    fix: credentialFix,
    ...refuse({
      'other credentials': withinScheme(({ length }) => Buffer.from(`x:${length}`).toString('base64')),
    }),
  },
  'refuses-partial-credentials': {
    title: 'Refuses partial credentials',
    risk: 'Comparing prefixes lets an attacker guess the credentials character by character.',
    fix: credentialFix,
    ...refuse({
      'the beginning of them': withinScheme((credential) => credential.slice(0, credential.length / 2)),
      'more than them': withinScheme((credential) => `${credential}AAAA`),
    }),
  },
}
