import * as z from 'zod/mini'
import { RecordExistsError } from '../errors/record-errors.ts'
import type { ApiKeyRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import { optional, parseInput, phoneNumber, storableText } from '../values/input-schemas.ts'
import { parseDigits } from '../values/phone-number.ts'
import { sha256 } from '../values/sha256.ts'
import { checkIdentifiers } from '../values/storable-text.ts'

const key = (remedy: string) =>
  z.string().check(z.regex(/^[!-~]{16,}$/, `must have at least 16 visible ASCII characters. ${remedy}`))

const settings = {
  /**
   * Human-readable name.
   * @default ''
   */
  label: optional(storableText, 'A name for people.'),
  /**
   * The WABA numbers that the key has permission for.
   * @default 'all'
   */
  wabaNumbers: optional(
    z.union([z.literal('all'), z.readonly(z.array(phoneNumber))], {
      // If the value is a list, the error of the item already names the number.
      error: ({ input }) => (Array.isArray(input) ? undefined : 'must be all, or a list of phone numbers'),
    }),
    'WABA numbers that it may use (default: all).',
  ),
}

/** A new Public API key. @inline */
export const ApiKeyInput = z.strictObject({
  /**
   * The key: at least 16 visible ASCII characters.
   * @default a random `wk_…`
   */
  key: optional(key('Omit it to get a random one'), 'The key itself. Default: a random one.'),
  ...settings,
})
export type ApiKeyInput = z.infer<typeof ApiKeyInput>

/** A Public API key that is not random. */
export const KnownApiKey = z.strictObject({
  /** The key: at least 16 visible ASCII characters. */
  key: key(`Generate one: node -p "'wk_' + crypto.randomBytes(24).toString('hex')"`),
  ...settings,
})
export type KnownApiKey = z.infer<typeof KnownApiKey>

/** A new key. @inline */
export type CreatedApiKey = {
  /** The key, which cannot be read again. */
  readonly key: string
  readonly record: ApiKeyRecord
}

/** The Public API keys of a server. */
export type ApiKeys = {
  /**
   * Creates a key for an organization.
   *
   * @throws InputError if the key, a number or the label is invalid.
   * @throws RecordExistsError if the key is in use.
   * @throws RecordNotFoundError if there is no such organization.
   */
  create(organizationId: string, input?: ApiKeyInput): Promise<CreatedApiKey>
  /** Lists the records of an organization's keys, oldest first. They do not contain the keys. */
  list(organizationId: string): Promise<ApiKeyRecord[]>
  /** Removes a key, with immediate effect. Returns false if the organization has no such key. */
  remove(organizationId: string, keyId: string): Promise<boolean>
}

const generateKey = (): string =>
  `wk_${Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`

type ApiKeysContext = Pick<ServerContext, 'store' | 'clock' | 'ids'>

export const createApiKeys = ({ store, clock, ids }: ApiKeysContext): ApiKeys => ({
  create: async (organizationId, input = {}) => {
    const { key = generateKey(), wabaNumbers = 'all', label = '' } = parseInput(ApiKeyInput, input)
    checkIdentifiers({ organizationId })
    const record: ApiKeyRecord = {
      id: ids('key'),
      organizationId,
      hash: sha256(key),
      label,
      wabaNumbers:
        wabaNumbers === 'all' ? 'all' : wabaNumbers.map((number) => parseDigits(number, 'wabaNumbers')),
      createdAt: clock.now(),
    }
    const fingerprint = record.hash.slice(0, 8)
    if ((await store.addApiKey(record)) === 'taken') throw new RecordExistsError('api key', fingerprint)
    return { key, record }
  },
  list: async (organizationId) => {
    checkIdentifiers({ organizationId })
    return store.listApiKeys(organizationId)
  },
  remove: async (organizationId, keyId) => {
    checkIdentifiers({ organizationId, keyId })
    return store.removeApiKey(organizationId, keyId)
  },
})
