import manifest from '../../package.json' with { type: 'json' }

/** The `User-Agent` of webhooks. */
export const userAgent = `wabakit/${manifest.version}`
