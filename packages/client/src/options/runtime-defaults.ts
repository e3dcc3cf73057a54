import manifest from '../../package.json' with { type: 'json' }

/** Returns `undefined` if the variable is empty, or if the runtime has no environment or denies access to it. */
export const readEnvironment = (name: 'WABAKIT_API_KEY' | 'WABAKIT_BASE_URL'): string | undefined => {
  try {
    return globalThis.process?.env?.[name] || undefined
  } catch {
    // Deno without --allow-env.
    return undefined
  }
}

/**
 * Returns `wabakit/<version> <runtime>`, such as `wabakit/1.0.0 Node.js/26`. Returns `undefined` in browsers: they
 * send their own, and a custom one would cost a CORS preflight.
 */
export const getUserAgent = (): string | undefined => {
  const runtime = globalThis.navigator?.userAgent
  if (runtime?.startsWith('Mozilla/')) return undefined
  return `wabakit/${manifest.version}${runtime ? ` ${runtime}` : ''}`
}

/**
 * Returns a number from 0 (inclusive) to 1 (exclusive). The cryptographic generator is preferred, because ids must
 * differ even between copies of one process image. React Native has none.
 */
export const generateRandom = (): number =>
  globalThis.crypto?.getRandomValues !== undefined
    ? (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32
    : Math.random()
