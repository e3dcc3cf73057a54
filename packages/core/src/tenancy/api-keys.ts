import { InputError } from '../errors/operation-errors.ts'
import { RecordExistsError } from '../errors/record-errors.ts'
import type { ApiKeyRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import { parseDigits } from '../values/phone-number.ts'
import { sha256 } from '../values/sha256.ts'
import { checkIdentifiers, checkTexts } from '../values/storable-text.ts'

/** A new Public API key. @inline */
export type ApiKeyInput = {
  /**
   * The key: at least 16 visible ASCII characters.
   * @default a random `wk_…`
   */
  readonly key?: string | undefined
  /**
   * The WABA numbers that the key has permission for.
   * @default 'all'
   */
  readonly wabaNumbers?: 'all' | readonly string[] | undefined
  /**
   * Human-readable name.
   * @default ''
   */
  readonly label?: string | undefined
}

/** A Public API key that already exists. */
export type KnownApiKey = ApiKeyInput & { readonly key: string }

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
   */
  create(organizationId: string, input?: ApiKeyInput): Promise<CreatedApiKey>
  /** Lists the records of an organization's keys, oldest first. They do not contain the keys. */
  list(organizationId: string): Promise<ApiKeyRecord[]>
  /** Removes a key, with immediate effect. Returns false if the organization has no such key. */
  remove(organizationId: string, keyId: string): Promise<boolean>
}

const generateKey = (): string =>
  `wk_${Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`

const parseNumbers = (numbers: 'all' | readonly string[]): 'all' | readonly string[] =>
  numbers === 'all' ? numbers : numbers.map((number, index) => parseDigits(number, `wabaNumbers.${index}`))

/** Throws an InputError if a key that the caller chose, one of its numbers, or its label is invalid. */
export const checkApiKey = ({ key, wabaNumbers = 'all', label = '' }: KnownApiKey): void => {
  if (!/^[!-~]{16,}$/.test(key)) {
    const message = 'must have at least 16 visible ASCII characters. Omit it to get a random one'
    throw new InputError([{ path: 'key', message }])
  }
  checkTexts({ label })
  parseNumbers(wabaNumbers)
}

type ApiKeysContext = Pick<ServerContext, 'store' | 'clock' | 'ids'>

export const createApiKeys = ({ store, clock, ids }: ApiKeysContext): ApiKeys => ({
  create: async (organizationId, { key = generateKey(), wabaNumbers = 'all', label = '' } = {}) => {
    checkApiKey({ key, wabaNumbers, label })
    checkIdentifiers({ organizationId })
    const record: ApiKeyRecord = {
      id: ids('key'),
      organizationId,
      hash: sha256(key),
      label,
      wabaNumbers: parseNumbers(wabaNumbers),
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
