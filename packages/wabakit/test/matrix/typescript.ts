import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const resolutions = [
  ['nodenext', 'nodenext'],
  ['bundler', 'esnext'],
] as const

type Compilation = {
  readonly project: string
  readonly subpaths: readonly string[]
  readonly typeRoots: string
}

/** Compiles a file for each subpath, which imports it, in both ways of resolving modules. Returns the first errors. */
const compile = async (compiler: string, { project, subpaths, typeRoots }: Compilation): Promise<string> => {
  const folder = join(project, 'typescript')
  mkdirSync(folder, { recursive: true })
  const files = subpaths.map((subpath) => {
    const file = join(folder, `${subpath.replaceAll('/', '-')}.ts`)
    writeFileSync(
      file,
      `import * as exported from '${subpath}'\nexport const names = Object.keys(exported)\n`,
    )
    return file
  })
  for (const [moduleResolution, module] of resolutions) {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2022',
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable'],
      types: ['node'],
      typeRoots: [typeRoots],
      module,
      moduleResolution,
    }
    const config = join(folder, 'tsconfig.json')
    writeFileSync(config, JSON.stringify({ compilerOptions, files }))
    const { stdout }: { stdout: string } = await run(process.execPath, [compiler, '-p', config]).catch(
      (error) => error,
    )
    if (stdout !== '') return stdout
  }
  return ''
}

/** Returns the subpaths that a compiler accepts. */
export const listCompiling = async (
  compiler: string,
  compilation: Compilation,
): Promise<readonly string[]> => {
  const { subpaths } = compilation
  if ((await compile(compiler, compilation)) === '') return subpaths
  const compiling: string[] = []
  for (const subpath of subpaths) {
    const errors = await compile(compiler, { ...compilation, subpaths: [subpath] })
    if (errors === '') compiling.push(subpath)
    else console.log(errors.split('\n').slice(0, 5).join('\n'))
  }
  return compiling
}
