import type { RunContext } from '../cluster/run-context.ts'
import type { Engine } from './engine.ts'
import { createMemoryEngine } from './memory-engine.ts'
import { createPostgresEngine } from './postgres/postgres-engine.ts'
import { createSqliteEngine } from './sqlite/sqlite-engine.ts'

export const createEngine = (run: RunContext): Engine => {
  switch (run.plan.engine) {
    case 'memory':
      return createMemoryEngine(run)
    case 'postgres':
      return createPostgresEngine(run)
    case 'sqlite':
      return createSqliteEngine(run)
  }
}
