import manifest from '../../package.json' with { type: 'json' }

/**
 * `wabakit/<version> <runtime>`, such as `wabakit/1.0.0 Node.js/26`; `undefined` in browsers, which send their own
 * and where setting one would cost a CORS preflight.
 */
export const userAgent = (): string | undefined => {
  const runtime = globalThis.navigator?.userAgent
  if (runtime?.startsWith('Mozilla/')) return undefined
  return `wabakit/${manifest.version}${runtime ? ` ${runtime}` : ''}`
}
