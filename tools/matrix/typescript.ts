import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The settings of a project that decide how TypeScript finds our types. */
export type ModuleSettings = {
  /** The `type` of the project's package.json. With `commonjs`, an `import` becomes a `require()`, unless a bundler reads it. */
  readonly type: 'module' | 'commonjs'
  readonly module: string
  readonly moduleResolution: 'node16' | 'nodenext' | 'bundler'
}

const types = ['module', 'commonjs'] as const

/** Lists the settings that a TypeScript version such as `5.6` has. */
export const listModuleSettings = (version: string): ModuleSettings[] => {
  const isAtLeast = (minimum: number): boolean => Number(version) >= minimum
  const node = ['node16', ...(isAtLeast(5.8) ? ['node18'] : []), ...(isAtLeast(5.9) ? ['node20'] : [])]
  return [
    ...types.flatMap((type) => [
      ...node.map((module): ModuleSettings => ({ type, module, moduleResolution: 'node16' })),
      { type, module: 'nodenext', moduleResolution: 'nodenext' } as const,
      { type, module: 'esnext', moduleResolution: 'bundler' } as const,
      { type, module: 'preserve', moduleResolution: 'bundler' } as const,
    ]),
    ...(isAtLeast(6) ? [{ type: 'commonjs', module: 'commonjs', moduleResolution: 'bundler' } as const] : []),
  ]
}

type Compilation = {
  readonly version: string
  readonly project: string
  readonly skipLibCheck: boolean
  readonly subpaths: readonly string[]
  readonly typeRoots: string
}

/** Compiles a file that imports each subpath, with all settings of modules. Returns the first errors. */
const compile = async (
  compiler: string,
  { version, project, subpaths, skipLibCheck, typeRoots }: Compilation,
): Promise<string> => {
  const folder = join(project, 'typescript')
  mkdirSync(folder, { recursive: true })
  const files = subpaths.map((subpath) => {
    const file = join(folder, `${subpath.replaceAll(/\W/g, '-')}.ts`)
    writeFileSync(
      file,
      `import * as exported from '${subpath}'\nexport const names = Object.keys(exported)\n`,
    )
    return file
  })
  for (const { type, module, moduleResolution } of listModuleSettings(version)) {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck,
      target: 'es2022',
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable'],
      types: ['node'],
      typeRoots: [typeRoots],
      module,
      moduleResolution,
    }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }))
    const config = join(folder, 'tsconfig.json')
    writeFileSync(config, JSON.stringify({ compilerOptions, files }))
    const { stdout }: { stdout: string } = await run(process.execPath, [compiler, '-p', config]).catch(
      (error) => error,
    )
    if (stdout !== '') return `${type}, ${module}: ${stdout}`
  }
  return ''
}

/** Returns the subpaths that a compiler accepts. Prints why it rejects the others. */
export const listCompiling = async (
  compiler: string,
  compilation: Compilation,
): Promise<readonly string[]> => {
  const { subpaths } = compilation
  const errors = await compile(compiler, compilation)
  if (errors === '') return subpaths
  if (subpaths.length === 1) {
    console.log(errors.split('\n').slice(0, 5).join('\n'))
    return []
  }
  const middle = subpaths.length / 2
  return [
    ...(await listCompiling(compiler, { ...compilation, subpaths: subpaths.slice(0, middle) })),
    ...(await listCompiling(compiler, { ...compilation, subpaths: subpaths.slice(middle) })),
  ]
}
