import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withoutBom } from '../../config/load-config.ts'
import { CliError, exitCodes } from '../output.ts'

export type Project = {
  readonly folder: string
  readonly dependencies: ReadonlySet<string>
  readonly isModule: boolean
  readonly runner: 'vitest' | 'jest'
  /** Set if the project depends on the types of Node.js, in a version with `node:sqlite` that vitest accepts. */
  readonly hasNodeTypes: boolean
  /** Set if jest looks for tests in the folder of the sources only. */
  readonly testsAreInSources: boolean
}

/** @throws CliError if the folder contains no readable package.json. */
export const readProject = (folder: string): Project => {
  const path = join(folder, 'package.json')
  try {
    const {
      dependencies = {},
      devDependencies = {},
      type,
      jest,
    } = JSON.parse(withoutBom(readFileSync(path, 'utf8')))
    const versions = { ...dependencies, ...devDependencies }
    const all = new Set(Object.keys(versions))
    const [nodeTypes = '22'] = /\d+/.exec(versions['@types/node']) ?? []
    return {
      folder,
      dependencies: all,
      hasNodeTypes: all.has('@types/node') && Number(nodeTypes) >= 22,
      isModule: type === 'module',
      testsAreInSources: /(?:^|\/)src\/?$/.test(jest?.rootDir ?? ''),
      runner: all.has('jest') && !all.has('vitest') ? 'jest' : 'vitest',
    }
  } catch (cause) {
    const message = `${path} cannot be read. Run init in the folder of a project.`
    throw new CliError(message, exitCodes.usage, { cause })
  }
}
