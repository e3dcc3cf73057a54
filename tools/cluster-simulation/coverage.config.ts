import { defineConfig } from 'vitest/config'

const conditions = ['@wabakit/source', 'module', 'node']

/** `npm run simulate:coverage`: prints which lines of the PostgreSQL store the simulation runs. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['tools/cluster-simulation/covered-runs.ts'],
    testTimeout: 300_000,
    coverage: {
      enabled: true,
      reporter: ['text'],
      thresholds: { lines: 85 },
      include: ['packages/server/src/stores/postgres/**/*.ts'],
      // The simulation does not use these: they open a database, create its tables, or describe why that failed.
      exclude: [
        '**/{open-postgres,open-error,primary,database-address,warnings,migrate,schema}.ts',
        '**/*.test.ts',
      ],
    },
  },
})
