import { WebhookVerificationError } from '../errors.ts'
import type { OnDemand } from '../on-demand.ts'
import { equalsInConstantTime } from './verify-signature.ts'

/** One secret value, or several values during a rotation, or a function that returns them. */
export type Values = OnDemand<string | readonly string[]>

export const reject = (message: string) => new WebhookVerificationError('invalid_secret', message)

/** Matches a header without credentials, such as `Bearer ${process.env.TOKEN}` if the variable is not set. */
const withoutCredentials = /^(?:(?:basic|bearer|digest)?\s*(?:undefined|null)?)$/i

/** @throws WebhookVerificationError when a value is empty, has no credentials, or cannot be in a request. */
const checkSecret = (secret: unknown): string => {
  // A secret that is mounted as a file often ends in a line break.
  const value = typeof secret === 'string' ? secret.replace(/[\r\n]+$/, '') : ''
  if (value.trim() === '') throw reject('A secret is empty. Is its environment variable set?')
  if (withoutCredentials.test(value.trim()))
    throw reject('A secret has no credentials. Is its environment variable set?')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no header can contain them
  if (/[\0-\x08\x0a-\x1f\x7f]/.test(value) || !value.isWellFormed())
    throw reject('A secret has a line break or another character that no header can contain.')
  return value
}

export const toList = (secrets: string | readonly string[]): readonly string[] => {
  const values = Array.isArray(secrets) ? secrets : [secrets]
  if (values.length === 0) throw reject('The list of secrets is empty.')
  return values.map(checkSecret)
}

/** Compares with every value, so that the time does not reveal which one matched. */
export const matchesAny = (expected: readonly string[], received: string): boolean =>
  expected.filter((each) => equalsInConstantTime(each, received)).length > 0
