import type { Issue } from '@wabakit/contract'
import { InputError } from '../errors/operation-errors.ts'
import { RecordExistsError } from '../errors/record-errors.ts'
import type { Store } from '../store.ts'
import { sha256 } from '../values/sha256.ts'
import { checkIdentifiers } from '../values/storable-text.ts'
import { type ApiKeys, checkApiKey, type KnownApiKey } from './api-keys.ts'
import { parseSettings } from './organization-input.ts'
import type { OrganizationInput, Organizations } from './organizations.ts'

/** An organization that is declared when the server is created. */
export type DeclaredOrganization = OrganizationInput & { readonly id: string }

const collect = (issues: Issue[], path: string, check: () => void): void => {
  try {
    check()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    for (const issue of error.issues) issues.push({ ...issue, path: `${path}.${issue.path}` })
  }
}

/** Throws an InputError if a setting is invalid, or if two organizations have the same key. */
const checkDeclared = (organizations: readonly DeclaredOrganization[]): void => {
  const issues: Issue[] = []
  const owners = new Map<string, string>()
  for (const [index, organization] of organizations.entries()) {
    const { id, apiKeys = [], ...settings } = organization
    const path = `organizations.${index}`
    collect(issues, path, () => checkIdentifiers({ id }))
    collect(issues, path, () => parseSettings(settings))
    for (const [position, input] of apiKeys.entries()) {
      const keyPath = `${path}.apiKeys.${position}`
      collect(issues, keyPath, () => checkApiKey(input))
      const owner = owners.get(input.key) ?? id
      if (owner !== id) issues.push({ path: `${keyPath}.key`, message: 'belongs to another organization' })
      owners.set(input.key, owner)
    }
  }
  if (issues.length > 0) throw new InputError(issues)
}

type DeclarationContext = {
  readonly store: Store
  readonly organizations: Organizations
  readonly apiKeys: ApiKeys
}

/**
 * Prepares the declared organizations.
 *
 * @returns a function that stores them the first time that it is called, and resolves when they are stored. If storing
 *   them fails, the next call tries again.
 * @throws InputError if a declared organization is invalid.
 */
export const declareOrganizations = (
  { store, organizations, apiKeys }: DeclarationContext,
  declared: readonly DeclaredOrganization[],
): (() => Promise<void>) => {
  checkDeclared(declared)

  /** Creates a key, unless the organization already has it. */
  const declareKey = async (organizationId: string, input: KnownApiKey): Promise<void> => {
    try {
      await apiKeys.create(organizationId, input)
    } catch (error) {
      const owner = await store.findCaller(sha256(input.key))
      if (owner?.organization.id !== organizationId) throw error
    }
  }
  const declareAll = async (): Promise<void> => {
    for (const { id, apiKeys: keys = [], ...settings } of declared) {
      try {
        await organizations.create({ id, ...settings })
      } catch (error) {
        if (!(error instanceof RecordExistsError)) throw error
        await organizations.update(id, settings)
      }
      for (const key of keys) await declareKey(id, key)
    }
  }

  let declaring: Promise<void> | undefined
  return () => {
    declaring ??= declareAll().catch((error: unknown) => {
      declaring = undefined
      throw error
    })
    return declaring
  }
}
