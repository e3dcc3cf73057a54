import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')

type Manifest = { name: string; private?: boolean; exports?: Record<string, string | Record<string, string>> }

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(resolve(root, 'packages', folder, 'package.json'), 'utf8'))

/** Returns the source file of each entry point, by specifier: `wabakit/webhooks`. */
const listEntries = (): Map<string, string> => {
  const entries = new Map<string, string>()
  for (const folder of readdirSync(resolve(root, 'packages'))) {
    const { name, private: isPrivate, exports = {} } = readManifest(folder)
    if (isPrivate) continue
    for (const [subpath, target] of Object.entries(exports)) {
      const source = typeof target === 'object' && target['@wabakit/source']
      if (source) entries.set(name + subpath.slice(1), resolve(root, 'packages', folder, source))
    }
  }
  return entries
}

const readOptions = (): ts.CompilerOptions => {
  const { config } = ts.readConfigFile(resolve(root, 'tsconfig.json'), ts.sys.readFile)
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options
}

const describeExport = (checker: ts.TypeChecker, symbol: ts.Symbol): string => {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  return target.flags & ts.SymbolFlags.Value ? symbol.name : `${symbol.name} (type)`
}

const listNames = (program: ts.Program, file: string): string[] => {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  const exported = module ? checker.getExportsOfModule(module) : []
  return exported.map((symbol) => describeExport(checker, symbol)).sort()
}

test('public-api.txt lists every public name, so that a change of the public API is a visible change', async () => {
  const entries = listEntries()
  const program = ts.createProgram([...entries.values()], readOptions())
  const listed = new Map<string, string>()
  const sections = [...entries].sort().map(([specifier, file]) => {
    const names = listNames(program, file)
      .map((name) => `  ${name}\n`)
      .join('')
    const same = listed.get(names)
    if (same !== undefined) return `${specifier}: the names of ${same}\n`
    listed.set(names, specifier)
    return `${specifier}\n${names}`
  })
  await expect(sections.join('\n')).toMatchFileSnapshot('./public-api.txt')
}, 180_000)
