import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Project } from './read-project.ts'

/** The module format of the new files. */
export type Style = {
  readonly extension: 'ts' | 'js' | 'mjs'
  /** Suffix of the path in an import of another file. */
  readonly ending: '' | '.js' | '.mjs'
  /** Set if the modules use `require` and `module.exports`. */
  readonly isRequiring: boolean
}

/** The sources that a framework expects. */
export type Sources = {
  /** Set if the framework supports only TypeScript. */
  readonly isTypeScript?: true
  /** Set if a bundler reads the sources, so that they are ES modules even in a CommonJS project. */
  readonly isBundled?: true
}

/** Finds the module format for the new files of a project. */
export const findStyle = (
  { isTypeScript, isBundled }: Sources,
  { folder, dependencies, isModule, runner }: Project,
): Style => {
  const hasTypes = isTypeScript || dependencies.has('typescript') || existsSync(join(folder, 'tsconfig.json'))
  // In CommonJS, TypeScript and jest resolve paths without a suffix, and so do bundlers everywhere. jest and the bundlers of
  // Next.js do not resolve .js to .ts.
  if (hasTypes) return { extension: 'ts', ending: isModule && !isBundled ? '.js' : '', isRequiring: false }
  if (isModule || isBundled) return { extension: 'js', ending: '.js', isRequiring: false }
  // vitest runs ES modules; jest runs CommonJS.
  return runner === 'jest'
    ? { extension: 'js', ending: '.js', isRequiring: true }
    : { extension: 'mjs', ending: '.mjs', isRequiring: false }
}

/** Converts imports to `require` calls. */
export const toRequire = (line: string): string =>
  line.replace(/^import (.*) from (.*)$/gm, 'const $1 = require($2)')

/** Converts an ES module to a project's module format. */
export const formatModule = (text: string, { isRequiring }: Style): string => {
  if (!isRequiring) return text
  const names = Array.from(text.matchAll(/^export const (\w+)/gm), ([, name]) => name)
  const required = toRequire(text).replace(/^export /gm, '')
  return names.length === 0 ? required : `${required}\nmodule.exports = { ${names.join(', ')} }\n`
}
