import type { PlantedBug } from '../../bugs/bug.ts'
import type { EngineName } from '../plan.ts'

/** Returns the only engine on which a bug shows; `undefined` if it shows on any. */
export const chooseEngine = ({ file }: PlantedBug): EngineName | undefined => {
  if (file.includes('/stores/sqlite/')) return 'sqlite'
  return /^core\/src\/(?:delivery|memory-store|storage\/workers)/.test(file) ? 'memory' : undefined
}
