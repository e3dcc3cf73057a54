import { randomBytes } from 'node:crypto'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { findContradictions } from '@wabakit/contract/profile'
import { ExaminationUsageError } from '../errors.ts'
import { createRandom } from '../seeded-random.ts'
import { listMeasuredEvents } from './measured-events.ts'
import { defaultLimits, type ExamineEndpointOptions, type Limits } from './options.ts'
import { createIds, decodeKey } from './payloads.ts'
import type { ServedClock } from './served-clock.ts'
import { readTarget } from './target.ts'
import { findUrlToken } from './url-token.ts'

export type Need = 'signature' | 'previous-secret' | 'credentials' | 'url-token' | 'effects'

export type ExaminationSettings = Readonly<ReturnType<typeof readSettings>> & { readonly clock: ServedClock }

const findOptionToken = ({ url }: ExamineEndpointOptions) =>
  URL.canParse(url) ? findUrlToken(new URL(url)) : undefined

export const listGiven = (options: ExamineEndpointOptions): Set<Need> => {
  const { secret, previousSecret, headers = {}, effects } = options
  const given: Record<Need, boolean> = {
    signature: secret !== undefined,
    credentials: Object.keys(headers).length > 0,
    'previous-secret': previousSecret !== undefined,
    // With another way to authenticate, a query may be anything.
    'url-token':
      secret === undefined && Object.keys(headers).length === 0 && findOptionToken(options) !== undefined,
    effects: effects !== undefined,
  }
  return new Set((Object.keys(given) as Need[]).filter((need) => given[need]))
}

/** Lists what a profile adds to a run: events, and questions to which it has several answers. */
export const listMeasured = ({ profile }: Pick<ExamineEndpointOptions, 'profile'>) =>
  profile === undefined
    ? { events: [], contradictions: [] }
    : { events: listMeasuredEvents(profile), contradictions: findContradictions(profile) }

const assertSecret = (secret: string | undefined, option: string): void => {
  if (secret === undefined) return
  const text = secret.replace(/^whsec_/, '')
  if (/^[\w+/-]+=*$/.test(text) && decodeKey(secret).length > 0) return
  throw new ExaminationUsageError(
    `${option} must be "whsec_" and base64, without spaces. Is the variable that holds it set?`,
  )
}

const assertHeader = (name: string, value: string): void => {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch (cause) {
    const message = '--header must have the name of a header, and a value without control characters.'
    throw new ExaminationUsageError(message, { cause })
  }
}

/** @throws ExaminationUsageError when the options are wrong. */
export const readSettings = (options: ExamineEndpointOptions, seed: number) => {
  const { secret, previousSecret, headers = {}, effects, now = Date.now } = options
  const given = listGiven(options)
  if (!given.has('signature') && !given.has('credentials') && !given.has('url-token')) {
    throw new ExaminationUsageError(
      'Pass a URL with a token (?token=…), --secret, --header or --basic: the way in which the endpoint authenticates its sender.',
    )
  }
  assertSecret(secret, '--secret')
  assertSecret(previousSecret, '--previous-secret')
  if (effects === '') {
    const message = '--effects must be a URL or a shell command. Is the variable that holds it set?'
    throw new ExaminationUsageError(message)
  }
  for (const header of Object.entries(headers)) assertHeader(...header)
  const limits: Limits = { ...defaultLimits, ...options.limits }
  return {
    url: readTarget(options.url),
    urlToken: given.has('url-token') ? findOptionToken(options) : undefined,
    /** Headers that authenticate the sender, by lowercase name. */
    credentials: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    random: createRandom(seed),
    ids: createIds(randomBytes(4).toString('hex')),
    secret,
    previousSecret,
    effects,
    hasCompleteEffects: options.effectsAreComplete === true,
    given,
    limits,
    measured: listMeasured(options),
    now,
  }
}
