import { RecordExistsError, RecordNotFoundError } from '../errors/record-errors.ts'
import { StorageOutcomeUnknownError } from '../errors/storage-errors.ts'
import type { OrganizationRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import type { Page, PageRequest, Store } from '../store.ts'
import { checkNumbers } from '../values/check-numbers.ts'
import { parseInput } from '../values/input-schemas.ts'
import { checkIdentifiers } from '../values/storable-text.ts'
import type { ApiKeys } from './api-keys.ts'
import { OrganizationInput, type OrganizationSettings, parseSettings } from './organization-input.ts'

/** The organizations of a server. */
export type Organizations = {
  /**
   * Creates an organization with its numbers and keys.
   *
   * @throws InputError if a setting is invalid.
   * @throws RecordExistsError if the id or a key is in use.
   * @throws StorageOutcomeUnknownError if a key could not be added, and the organization could then not be removed.
   */
  create(input: OrganizationInput): Promise<OrganizationRecord>
  /** Finds an organization by its id; `undefined` if there is none. */
  find(organizationId: string): Promise<OrganizationRecord | undefined>
  /** Lists all organizations, oldest first. */
  list(page?: Partial<PageRequest>): Promise<Page<OrganizationRecord>>
  /**
   * Changes settings. Omitted settings do not change, and lists are replaced as a whole. A function receives the
   * current record. It is called again if the record changes concurrently.
   *
   * @throws InputError if a setting is invalid.
   * @throws RecordNotFoundError if there is no such organization.
   */
  update(
    organizationId: string,
    change: OrganizationSettings | ((organization: OrganizationRecord) => OrganizationSettings),
  ): Promise<OrganizationRecord>
  /** Removes an organization and everything that it owns. Returns false if there is none. */
  remove(organizationId: string): Promise<boolean>
}

type OrganizationsContext = Pick<ServerContext, 'store' | 'clock' | 'ids'> & {
  readonly apiKeys: Pick<ApiKeys, 'create'>
}

/** Finds an organization, or throws a RecordNotFoundError (an InputError if the id is not valid). */
export const getOrganization = async (store: Store, organizationId: string): Promise<OrganizationRecord> => {
  checkIdentifiers({ organizationId })
  const organization = await store.findOrganization(organizationId)
  if (organization === undefined) throw new RecordNotFoundError('organization', organizationId)
  return organization
}

export const createOrganizations = ({ store, clock, ids, apiKeys }: OrganizationsContext): Organizations => ({
  create: async (input) => {
    const { id = ids('org'), apiKeys: keys = [], ...settings } = parseInput(OrganizationInput, input)
    const organization: OrganizationRecord = {
      id,
      revision: 1,
      callSummaries: 'automatic',
      integrations: [],
      pstnNumbers: [],
      ...parseSettings(settings),
      createdAt: clock.now(),
    }
    if ((await store.saveOrganization(organization)) === 'stale')
      throw new RecordExistsError('organization', id)
    try {
      for (const key of keys) await apiKeys.create(id, key)
    } catch (error) {
      await store.removeOrganization(id).catch((cause) => {
        const message = `The organization ${id} may be left without some of its keys. Remove it and create it again.`
        throw new StorageOutcomeUnknownError(message, { cause })
      })
      throw error
    }
    return organization
  },
  find: async (organizationId) => {
    checkIdentifiers({ organizationId })
    return store.findOrganization(organizationId)
  },
  list: async (page = {}) => {
    checkNumbers(page)
    return store.listOrganizations({ limit: 100, ...page })
  },
  update: async (organizationId, change) => {
    for (;;) {
      const current = await getOrganization(store, organizationId)
      const settings = parseSettings(typeof change === 'function' ? change(current) : change)
      const next = { ...current, ...settings, revision: current.revision + 1 }
      if ((await store.saveOrganization(next)) === 'saved') return next
    }
  },
  remove: async (organizationId) => {
    checkIdentifiers({ organizationId })
    return store.removeOrganization(organizationId)
  },
})
