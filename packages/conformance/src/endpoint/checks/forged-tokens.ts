import { isIP } from 'node:net'
import { swapCase } from '../../swap-case.ts'
import type { Examination } from '../examination.ts'
import { encodeAll, replaceToken, type UrlToken } from '../url-token.ts'
import { refuseOnOtherRoutes } from './forged-routes.ts'
import { type ForgedChecks, type Forgery, otherRoutes, refuse } from './forgery.ts'
import { refuseFromNearby, varyType, writePatterns } from './unproven.ts'

const readUrlToken = ({ urlToken }: Examination): UrlToken =>
  urlToken ?? { parameter: 'token', encoded: '', decoded: '' }

/** Creates a forgery that replaces the token in the query by these parts of a query. */
const withQuery =
  (write: (token: UrlToken) => readonly string[]): Forgery =>
  (_, examination) => {
    const token = readUrlToken(examination)
    return { query: replaceToken(examination.url, token, write(token)) }
  }

const withToken = (change: (token: UrlToken) => string): Forgery =>
  withQuery((token) => [`${token.parameter}=${change(token)}`])

/** Replaces every letter and digit with another one. */
const shift = ({ encoded }: UrlToken): string =>
  encoded.replace(/%[\da-f]{2}|\w/gi, (found) => (found === 'a' ? 'b' : 'a'))

const swap = ({ encoded, decoded }: UrlToken): string => {
  const swapped = swapCase(decoded)
  // A token without letters is the same in either case.
  return swapped === decoded ? `${encoded}x` : encodeURIComponent(swapped)
}

export const withoutToken = withQuery(() => [])
const compare = 'Decode the parameter once, and compare all of it with the expected token, in constant time.'

/**
 * Checks that imitate a sender without the token. None of them sends two tokens of which one is right, because only someone who
 * knows the right one can do that. Languages also differ in which they read: PHP the last, URLSearchParams of JavaScript the first.
 */
export const tokenChecks: ForgedChecks = {
  'refuses-missing-token': {
    title: 'Refuses a delivery without the token in its URL',
    risk: 'A stranger who knows the path can write into your system.',
    fix: 'Refuse with 401 unless the URL has the token.',
    ...refuse({
      'no token': withoutToken,
      'an empty token': withToken(() => ''),
      'the token in another parameter': withQuery(({ parameter, encoded }) => [`x${parameter}=${encoded}`]),
      'the token as the name of a parameter': withQuery(({ encoded }) => [encoded]),
      ...varyType(withoutToken),
    }),
  },
  'refuses-wrong-token': {
    title: 'Refuses a wrong token in the URL',
    risk: 'A stranger can guess or invent a token and write into your system.',
    fix: compare,
    ...refuse({
      'another token of the same length': withToken(shift),
      'the token undefined': withToken(() => 'undefined'),
      ...writePatterns('the token', (pattern) => withToken(() => encodeURIComponent(pattern))),
      'the token in the other case': withToken(swap),
      'the beginning of the token': withToken(({ encoded }) => encoded.slice(0, encoded.length / 2)),
      'all of the token but the first character': withToken(({ encoded }) => encoded.slice(1)),
      'more than the token': withToken(({ encoded }) => `${encoded}AAAA`),
      'the token encoded twice': withToken(({ decoded }) => encodeURIComponent(encodeAll(decoded))),
      'a token that cannot be decoded': withToken(({ encoded }) => `${encoded}%`),
      'a list of tokens': withQuery(({ parameter }) => [`${parameter}[]=`, `${parameter}[$ne]=x`]),
    }),
  },
  'refuses-missing-token-from-nearby': {
    title: 'Refuses a delivery without the token that claims to come from a trusted address',
    ...refuseFromNearby(withoutToken),
  },
  [otherRoutes.token]: {
    title: 'Asks for the token whatever the method, the query and the spelling of the path',
    risk: 'A router sends PUT, a path with a slash at its end, or one with a query, to the same handler, past the comparison.',
    ...refuseOnOtherRoutes(withoutToken),
  },
  'keeps-token-encrypted': {
    title: 'The URL with the token starts with https://',
    follows: undefined,
    severity: 'high',
    clause: 'decision 0061; CWE-319, cleartext transmission',
    expected: 'https, or a loopback address',
    risk: 'Everyone on the way can read the token, and send anything.',
    fix: 'Register an https URL.',
    runsAnyway: true,
    run: ({ url: { protocol, hostname } }) => {
      const host = hostname.replace(/^\[|\]$/g, '')
      const isLoopback =
        host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
      const isSafe = protocol === 'https:' || isLoopback
      return { verdict: isSafe ? 'pass' : 'advice', observed: isSafe ? 'as expected' : 'an http URL' }
    },
  },
}
