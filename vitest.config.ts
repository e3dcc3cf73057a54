import { defineConfig } from 'vitest/config'

// Packages resolve to their sources by the same export condition that TypeScript and the demo use.
const conditions = ['@wabakit/source', 'module', 'node']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'examples/*.test.ts',
      'examples/testing-vitest/*.test.ts',
    ],
    coverage: { include: ['packages/*/src/**/*.ts'], exclude: ['**/*.test.ts', '**/*.test-d.ts'] },
  },
})
