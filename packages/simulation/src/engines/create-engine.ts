import type { RunContext } from '../cluster/run-context.ts'
import type { Engine } from './engine.ts'
import { createMemoryEngine } from './memory-engine.ts'
import { createSqliteEngine } from './sqlite/sqlite-engine.ts'

export const createEngine = (run: RunContext): Engine =>
  run.plan.engine === 'memory' ? createMemoryEngine(run) : createSqliteEngine(run)
