import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

const conditions = ['@wabakit/source', 'module', 'node']
const { OUTPUT = '.' } = process.env

/** The set-up of a project that wants traces, on the sources. Everything that it writes goes to one folder. */
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: resolve(OUTPUT, 'cache'),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['failing.ts'],
    // Node.js loads the sources itself: to transform them would take most of the time.
    server: { deps: { external: [/\/packages\/[^/]+\/src\//] } },
    execArgv: ['--conditions=@wabakit/source'],
    setupFiles: [resolve(import.meta.dirname, '../../../../wabakit/src/mock/vitest.ts')],
    attachmentsDir: resolve(OUTPUT, 'attachments'),
  },
})
