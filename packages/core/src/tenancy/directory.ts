import { equalsInConstantTime } from '@wabakit/webhooks'
import { RecordExistsError, RecordNotFoundError } from '../errors/record-errors.ts'
import type { CallerRecord, OrganizationRecord } from '../records.ts'
import type { Store } from '../store.ts'
import { checkIdentifiers } from '../values/identifier.ts'
import { sha256 } from '../values/sha256.ts'
import type { ApiKeys, KnownApiKey } from './api-keys.ts'
import type { OrganizationInput, Organizations } from './organizations.ts'

/** An organization that is declared when the server is created. */
export type DeclaredOrganization = OrganizationInput & { readonly id: string }

/** Finds organizations and callers once the declared organizations are stored. */
export type Directory = {
  /** Resolves when the declared organizations are in the store. */
  ready(): Promise<void>
  /**
   * @throws InputError if the id is not valid.
   * @throws RecordNotFoundError if there is no such organization.
   */
  getOrganization(organizationId: string): Promise<OrganizationRecord>
  findCaller(key: string): Promise<CallerRecord | undefined>
}

export type DirectoryContext = {
  readonly store: Store
  readonly organizations: Organizations
  readonly apiKeys: ApiKeys
  readonly declared: readonly DeclaredOrganization[]
}

/** Creates a key, unless the organization already has it. */
const declareKey = async (
  { store, apiKeys }: DirectoryContext,
  organizationId: string,
  input: KnownApiKey,
) => {
  try {
    await apiKeys.create(organizationId, input)
  } catch (error) {
    const owner = await store.findCaller(sha256(input.key))
    if (owner?.organization.id !== organizationId) throw error
  }
}

const declare = async (context: DirectoryContext, declared: DeclaredOrganization): Promise<void> => {
  const { id, apiKeys = [], ...settings } = declared
  try {
    await context.organizations.create({ id, ...settings })
  } catch (error) {
    if (!(error instanceof RecordExistsError)) throw error
    await context.organizations.update(id, settings)
  }
  for (const key of apiKeys) await declareKey(context, id, key)
}

/** Creates the directory. If storing the declared organizations fails, the next call tries again. */
export const createDirectory = (context: DirectoryContext): Directory => {
  const { store, declared } = context
  let declaring: Promise<void> | undefined
  let isDeclared = declared.length === 0

  const declareAll = async (): Promise<void> => {
    for (const organization of declared) await declare(context, organization)
  }
  const ready = async (): Promise<void> => {
    if (isDeclared) return
    declaring ??= declareAll()
    try {
      await declaring
      isDeclared = true
    } catch (error) {
      declaring = undefined
      throw error
    }
  }

  return {
    ready,
    getOrganization: async (organizationId) => {
      checkIdentifiers({ organizationId })
      await ready()
      const organization = await store.findOrganization(organizationId)
      if (organization === undefined) throw new RecordNotFoundError('organization', organizationId)
      return organization
    },
    findCaller: async (key) => {
      if (!isDeclared) await ready()
      const hash = sha256(key)
      const caller = await store.findCaller(hash)
      return caller !== undefined && equalsInConstantTime(caller.key.hash, hash) ? caller : undefined
    },
  }
}
