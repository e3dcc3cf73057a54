import manifest from '../../package.json' with { type: 'json' }

export const userAgent = `wabakit/${manifest.version}`
