import type { RunContext } from '../cluster/run-context.ts'
import type { Engine } from './engine.ts'
import { createMemoryEngine } from './memory-engine.ts'

export const createEngine = (run: RunContext): Engine => {
  switch (run.plan.engine) {
    case 'memory':
      return createMemoryEngine(run)
  }
}
