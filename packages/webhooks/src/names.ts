import { createNameCheck } from './names/check-name.ts'
import { createResolver } from './names/resolver.ts'

export { NameNotResolvedError } from './names/name-error.ts'

/**
 * Resolves host names without the thread pool that `dns.lookup` blocks. All that connect by name in a process share it, and
 * so its answers. For the packages of wabakit.
 */
export const resolver = createResolver()

export const checkName = createNameCheck(resolver)
