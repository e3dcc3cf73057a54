import type { PlantedBug } from '../../bugs/bug.ts'
import type { EngineName } from '../plan.ts'

/** Returns the only engine that exposes a bug, or `undefined` if every engine does. */
export const chooseEngine = ({ file }: PlantedBug): EngineName | undefined => {
  if (file.includes('/stores/sqlite/')) return 'sqlite'
  return /^core\/src\/(?:delivery|memory-store|storage\/workers)/.test(file) ? 'memory' : undefined
}
