import { randomBytes } from 'node:crypto'
import { ExaminationUsageError } from '../errors.ts'
import { createRandom } from '../seeded-random.ts'
import type { EffectsSource } from './effects.ts'
import type { ExamineEndpointOptions, Limits } from './options.ts'
import { createIds, decodeKey } from './payloads.ts'
import { readTarget } from './target.ts'

const defaultLimits: Limits = {
  responseMs: 15_000,
  attackMs: 5_000,
  fastResponseMs: 5_000,
  firstEffectMs: 12_000,
  effectMs: 3_000,
  settleMs: 300,
  recoverMs: 2_000,
  oversizedBytes: 16 * 1_048_576,
  burst: 40,
  slowConnections: 20,
}

export type Need = 'signature' | 'previous-secret' | 'credentials' | 'effects'

export type Settings = {
  readonly url: URL
  readonly secret: string | undefined
  readonly previousSecret: string | undefined
  /** Headers that authenticate the sender, by name. */
  readonly credentials: Readonly<Record<string, string>>
  readonly effects: EffectsSource | undefined
  /** The prerequisites that the run provides. */
  readonly given: ReadonlySet<Need>
  readonly limits: Limits
  /** The source of all random choices in the run, reproducible from its seed. */
  readonly random: ReturnType<typeof createRandom>
  readonly now: () => number
  readonly ids: ReturnType<typeof createIds>
}

export const listGiven = (options: ExamineEndpointOptions): Set<Need> => {
  const { secret, previousSecret, headers = {}, effects } = options
  const given: Record<Need, boolean> = {
    signature: secret !== undefined,
    'previous-secret': previousSecret !== undefined,
    credentials: Object.keys(headers).length > 0,
    effects: effects !== undefined,
  }
  return new Set((Object.keys(given) as Need[]).filter((need) => given[need]))
}

const assertSecret = (secret: string | undefined, option: string): void => {
  if (secret === undefined) return
  const text = secret.replace(/^whsec_/, '')
  if (/^[\w+/-]+=*$/.test(text) && decodeKey(secret).length > 0) return
  throw new ExaminationUsageError(
    `${option} must be "whsec_" and base64, without spaces. Is the variable that holds it set?`,
  )
}

/** @throws ExaminationUsageError when the options are wrong. */
export const readSettings = (options: ExamineEndpointOptions, seed: number): Settings => {
  const { secret, previousSecret, headers = {}, effects, now = Date.now } = options
  const given = listGiven(options)
  if (!given.has('signature') && !given.has('credentials')) {
    throw new ExaminationUsageError(
      'Pass --secret, --header or --basic: the way in which the endpoint authenticates its sender.',
    )
  }
  assertSecret(secret, '--secret')
  assertSecret(previousSecret, '--previous-secret')
  return {
    url: readTarget(options.url),
    credentials: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    limits: { ...defaultLimits, ...options.limits },
    random: createRandom(seed),
    ids: createIds(randomBytes(4).toString('hex')),
    ...{ secret, previousSecret, effects, given, now },
  }
}
