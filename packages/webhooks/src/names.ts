import { createNameCheck } from './names/check-name.ts'
import { createResolver } from './names/resolver.ts'

export { NameNotResolvedError } from './names/name-error.ts'

/**
 * Resolves host names without `dns.lookup`, which would occupy Node's thread pool. All packages of wabakit in a process share this
 * resolver and its cached answers.
 */
export const resolver = createResolver()

export const checkName = createNameCheck(resolver)
