import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Project } from './read-project.ts'

/** The form of the modules that a project takes. */
export type Style = {
  readonly extension: 'ts' | 'js' | 'mjs'
  /** End of an import of another file. */
  readonly ending: '' | '.js' | '.mjs'
  /** The modules use `require` and `module.exports`. */
  readonly isRequiring: boolean
}

/** How a framework takes sources. */
export type Sources = {
  /** The framework has no JavaScript. */
  readonly isTypeScript?: true
  /** A bundler reads the sources, so they are ES modules, whatever the project is. */
  readonly isBundled?: true
}

/** Finds the form of a project's modules. */
export const findStyle = (
  { isTypeScript, isBundled }: Sources,
  { folder, dependencies, isModule, runner }: Project,
): Style => {
  const hasTypes = isTypeScript || dependencies.has('typescript') || existsSync(join(folder, 'tsconfig.json'))
  // In CommonJS, TypeScript, jest and bundlers find a file without its ending. jest does not find a .ts file by .js.
  if (hasTypes) return { extension: 'ts', ending: isModule ? '.js' : '', isRequiring: false }
  if (isModule || isBundled) return { extension: 'js', ending: '.js', isRequiring: false }
  // vitest is an ES module, which imports ES modules. jest requires.
  return runner === 'jest'
    ? { extension: 'js', ending: '.js', isRequiring: true }
    : { extension: 'mjs', ending: '.mjs', isRequiring: false }
}

/** Writes an import as CommonJS has it in JavaScript. */
export const toRequire = (line: string): string =>
  line.replace(/^import (.*) from (.*)$/gm, 'const $1 = require($2)')

/** Writes a module, given as an ES module with at most one export, in a project's form. */
export const formatModule = (text: string, { isRequiring }: Style): string => {
  if (!isRequiring) return text
  const [, name] = /^export const (\w+)/m.exec(text) ?? []
  const required = toRequire(text).replace(/^export /gm, '')
  return name === undefined ? required : `${required}\nmodule.exports = { ${name} }\n`
}
