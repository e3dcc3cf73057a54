import type { Issue } from '@wabakit/contract'
import * as z from 'zod/mini'
import { InputError } from '../errors/operation-errors.ts'
import { RecordExistsError } from '../errors/record-errors.ts'
import type { Store } from '../store.ts'
import { parseInput } from '../values/input-schemas.ts'
import { sha256 } from '../values/sha256.ts'
import type { ApiKeys, KnownApiKey } from './api-keys.ts'
import { DeclaredOrganization, findRepeatedNumbers } from './organization-input.ts'
import type { Organizations } from './organizations.ts'

const Declaration = z.object({ organizations: z.readonly(z.array(DeclaredOrganization)) })

/** Throws an InputError if a setting is invalid, or if two organizations have the same key. */
const checkDeclared = (declared: readonly DeclaredOrganization[]): void => {
  const { organizations } = parseInput(Declaration, { organizations: declared })
  const issues: Issue[] = []
  const owners = new Map<string, string>()
  for (const [index, { id, apiKeys = [], ...settings }] of organizations.entries()) {
    const path = `organizations.${index}`
    for (const issue of findRepeatedNumbers(settings))
      issues.push({ ...issue, path: `${path}.${issue.path}` })
    for (const [position, { key }] of apiKeys.entries()) {
      const owner = owners.get(key) ?? id
      if (owner !== id)
        issues.push({ path: `${path}.apiKeys.${position}.key`, message: 'belongs to another organization' })
      owners.set(key, owner)
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
 * @returns a function that stores them on its first call, and resolves when they are stored. If storing them
 * fails, the next call tries again.
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
