import { createNameCheck } from './names/check-name.ts'
import { createResolver } from './names/resolver.ts'

export { NameNotResolvedError } from './names/name-error.ts'

/**
 * Resolves host names without the thread pool that `dns.lookup` blocks. All packages of wabakit in a process share it, and
 * so its answers.
 */
export const resolver = createResolver()

export const checkName = createNameCheck(resolver)
