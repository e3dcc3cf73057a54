import { RecordExistsError } from '../errors/record-exists-error.ts'
import { RecordNotFoundError } from '../errors/record-not-found-error.ts'
import type { CallerRecord, OrganizationRecord } from '../records.ts'
import type { Store } from '../store.ts'
import { equalInConstantTime } from '../values/constant-time.ts'
import { checkIdentifiers } from '../values/identifier.ts'
import { sha256 } from '../values/sha256.ts'
import type { ApiKeys, KnownApiKey } from './api-keys.ts'
import type { OrganizationInput, Organizations } from './organizations.ts'

/** An organization that is declared when the server is made. */
export type DeclaredOrganization = OrganizationInput & { readonly id: string }

/** Who is who. Everything that starts from an organization or a key goes through here. */
export type Directory = {
  /** Resolves when the declared organizations are in the store. */
  ready(): Promise<void>
  /**
   * @throws InputError when this can be no organization's id.
   * @throws RecordNotFoundError when there is no such organization.
   */
  organization(organizationId: string): Promise<OrganizationRecord>
  /** Whose key this is; `undefined` when it is nobody's. */
  caller(key: string): Promise<CallerRecord | undefined>
}

/** What {@link createDirectory} works with. */
export type DirectoryContext = {
  readonly store: Store
  readonly organizations: Organizations
  readonly apiKeys: ApiKeys
  readonly declared: readonly DeclaredOrganization[]
}

/** A key that is there already is fine if it is the organization's own. */
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

/** Makes the directory. A declaration that failed is tried again by the next one who asks. */
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
    organization: async (organizationId) => {
      checkIdentifiers({ organizationId })
      await ready()
      const organization = await store.findOrganization(organizationId)
      if (organization === undefined) throw new RecordNotFoundError('organization', organizationId)
      return organization
    },
    caller: async (key) => {
      await ready()
      const hash = sha256(key)
      const caller = await store.findCaller(hash)
      return caller !== undefined && equalInConstantTime(caller.key.hash, hash) ? caller : undefined
    },
  }
}
