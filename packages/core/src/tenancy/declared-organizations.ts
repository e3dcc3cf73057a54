import type { Issue } from '@wabakit/contract'
import { InputError } from '../errors/input-error.ts'
import { checkIdentifiers } from '../values/identifier.ts'
import { checkApiKey } from './api-keys.ts'
import type { DeclaredOrganization } from './directory.ts'
import { parseSettings } from './organization-input.ts'

const collect = (issues: Issue[], path: string, check: () => void): void => {
  try {
    check()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    for (const issue of error.issues) issues.push({ ...issue, path: `${path}.${issue.path}` })
  }
}

/**
 * Checks declared organizations without a store.
 *
 * @throws InputError if a setting is invalid, or two organizations have the same key.
 */
export const checkDeclared = (organizations: readonly DeclaredOrganization[]): void => {
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
