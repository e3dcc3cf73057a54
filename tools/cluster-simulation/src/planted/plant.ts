import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { PlantedBug } from '../../bugs/bug.ts'

const repository = resolve(import.meta.dirname, '../../../..')

/** The packages that a run loads. */
const packages = ['wire', 'contract', 'client', 'webhooks', 'core', 'conformance', 'server']

export type Copy = ReturnType<typeof copySources>

/** Plants a bug in the source of its file. Throws an error unless the text to replace occurs exactly once. */
export const applyBug = ({ name, file, find, replace }: PlantedBug, text: string): string => {
  const parts = text.split(find)
  if (parts.length !== 2) {
    throw new Error(
      `"${name}" cannot be planted: its text occurs ${parts.length - 1} times in ${file}. Update the bug.`,
    )
  }
  return parts.join(replace)
}

/** Copies the sources to a new folder, so that bugs can be planted in them, and links the installed packages. */
export const copySources = () => {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-planted-'))
  for (const path of [...packages.map((name) => join('packages', name)), 'tools/cluster-simulation']) {
    cpSync(join(repository, path), join(folder, path), {
      recursive: true,
      filter: (path) => !/\/(?:node_modules|dist|test)(?:\/|$)/.test(path.slice(repository.length)),
    })
  }
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@wabakit'), { recursive: true })
  for (const name of packages) symlinkSync(join(folder, 'packages', name), join(modules, '@wabakit', name))
  for (const name of readdirSync(join(repository, 'node_modules'))) {
    if (name !== '@wabakit') symlinkSync(join(repository, 'node_modules', name), join(modules, name))
  }
  return {
    /** The path of the script that searches for a violation. */
    script: join(folder, 'tools/cluster-simulation/src/planted/find-violation.ts'),
    /** The folder of Node's compile cache. Most files of the copy are the same for every bug. */
    compileCache: join(folder, 'compiled'),
    /** Plants a bug. Returns a function that removes it. */
    plant: (bug: PlantedBug) => {
      const path = join(folder, 'packages', bug.file)
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, applyBug(bug, text))
      return () => writeFileSync(path, text)
    },
    remove: (): void => rmSync(folder, { recursive: true, force: true }),
  }
}
