import { createNameCheck } from './names/check-name.ts'
import { createResolver } from './names/resolver.ts'

export { NameNotResolvedError } from './names/name-error.ts'

/**
 * Resolves host names without `dns.lookup`, which would occupy Node's thread pool. The server, the mock and the doctor share this
 * resolver and its cached answers if they run in one process.
 */
export const resolver = createResolver()

export const checkName = createNameCheck(resolver)
