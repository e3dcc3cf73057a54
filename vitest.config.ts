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
    // Much of it waits for other processes.
    maxWorkers: '100%',
    // A slow machine is no failure: what hangs is told by these, not by how fast it was.
    testTimeout: 20_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    silent: 'passed-only',
    coverage: { include: ['packages/*/src/**/*.ts'], exclude: ['**/*.test.ts', '**/*.test-d.ts'] },
  },
})
