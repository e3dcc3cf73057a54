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
  readonly skipLibCheck: boolean
  readonly subpaths: readonly string[]
  readonly typeRoots: string
}

/** Compiles a file that imports each subpath, with both kinds of module resolution. Returns the first errors. */
const compile = async (
  compiler: string,
  { project, subpaths, skipLibCheck, typeRoots }: Compilation,
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
  for (const [moduleResolution, module] of resolutions) {
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
    const config = join(folder, 'tsconfig.json')
    writeFileSync(config, JSON.stringify({ compilerOptions, files }))
    const { stdout }: { stdout: string } = await run(process.execPath, [compiler, '-p', config]).catch(
      (error) => error,
    )
    if (stdout !== '') return stdout
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
