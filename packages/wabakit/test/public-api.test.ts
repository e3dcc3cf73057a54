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

const entries = listEntries()

const readOptions = (): ts.CompilerOptions => {
  const { config } = ts.readConfigFile(resolve(root, 'tsconfig.json'), ts.sys.readFile)
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options
}

const describeExport = (checker: ts.TypeChecker, symbol: ts.Symbol): string => {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  return target.flags & ts.SymbolFlags.Value ? symbol.name : `${symbol.name} (type)`
}

const listExports = (program: ts.Program, file: string): ts.Symbol[] => {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  return module ? checker.getExportsOfModule(module) : []
}

const listNames = (program: ts.Program, file: string): string[] =>
  listExports(program, file)
    .map((symbol) => describeExport(program.getTypeChecker(), symbol))
    .sort()

const isOurs = (symbol: ts.Symbol): boolean =>
  symbol.declarations?.some((each) => each.getSourceFile().fileName.startsWith(resolve(root, 'packages'))) ??
  false

/** Checks whether other files can import a type by its name. TypeScript writes out what the others contain. */
const isNamed = (symbol: ts.Symbol): boolean =>
  symbol.declarations?.some(
    (each) =>
      ts.isSourceFile(each.parent) &&
      (ts.getCombinedModifierFlags(each) & ts.ModifierFlags.Export) !== 0 &&
      (ts.isTypeAliasDeclaration(each) || ts.isInterfaceDeclaration(each) || ts.isClassDeclaration(each)),
  ) ?? false

const isInternal = (symbol: ts.Symbol): boolean =>
  symbol.getJsDocTags().some(({ name }) => name === 'internal')

const listTargets = (program: ts.Program, file: string): ts.Symbol[] => {
  const checker = program.getTypeChecker()
  return listExports(program, file).map((symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
  )
}

/**
 * Lists the types that the signatures of an entry lead to, and that neither this entry exports nor one that it imports, each
 * with a place that needs it.
 */
const listUnnameable = (program: ts.Program, file: string): string[] => {
  const checker = program.getTypeChecker()
  const exported = listTargets(program, file)
  const imported = [...readFileSync(file, 'utf8').matchAll(/^import type \{\} from '(.+)'/gm)]
  const nameable = new Set([
    ...exported,
    ...imported.flatMap(([, path = '']) => listTargets(program, resolve(file, '..', path))),
  ])
  const missing = new Map<ts.Symbol, string>()
  const seen = new Set<ts.Type>()
  const pending = exported.flatMap((symbol): [ts.Type, string][] => [
    ...(symbol.flags & ts.SymbolFlags.Value
      ? [[checker.getTypeOfSymbol(symbol), symbol.name] satisfies [ts.Type, string]]
      : []),
    ...(symbol.flags & ts.SymbolFlags.Type
      ? [[checker.getDeclaredTypeOfSymbol(symbol), symbol.name] satisfies [ts.Type, string]]
      : []),
  ])
  const need = (symbol: ts.Symbol | undefined, path: string): void => {
    if (!symbol || nameable.has(symbol) || missing.has(symbol)) return
    if (isOurs(symbol) && isNamed(symbol)) missing.set(symbol, `${symbol.name}, of ${path}`)
  }
  for (const [type, path] of pending) {
    need(type.aliasSymbol, path)
    const add = (types: readonly ts.Type[] | undefined, at = path): void =>
      void pending.push(...(types ?? []).map((each): [ts.Type, string] => [each, at]))
    add(type.aliasTypeArguments)
    if (seen.has(type)) continue
    seen.add(type)
    const symbol = type.getSymbol()
    if (type.isUnionOrIntersection()) add(type.types)
    if (type.isTypeParameter())
      add([checker.getBaseConstraintOfType(type)].filter((each) => each !== undefined))
    if (!(type.flags & ts.TypeFlags.Object)) continue
    if (isReference(type)) add(checker.getTypeArguments(type))
    if (symbol && !isOurs(symbol)) continue
    if (type.isClassOrInterface()) need(symbol, path)
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      for (const parameter of signature.getParameters())
        add([checker.getTypeOfSymbol(parameter)], `${path}(${parameter.name})`)
      add([signature.getReturnType()], `${path}()`)
    }
    for (const property of type.getProperties())
      if (!isInternal(property)) add([checker.getTypeOfSymbol(property)], `${path}.${property.name}`)
  }
  return [...missing.values()]
}

const isReference = (type: ts.Type): type is ts.TypeReference =>
  'objectFlags' in type && (Number(type.objectFlags) & ts.ObjectFlags.Reference) !== 0

const program = ts.createProgram([...entries.values()], readOptions())

// With pnpm, a project cannot import the packages that wabakit consists of. If a type has no name in wabakit, a project that
// emits declarations cannot export what it builds with it (TS2742, TS2883).
test('each entry of wabakit exports the types that its signatures lead to', () => {
  const missing = [...entries]
    .filter(([specifier]) => /^wabakit(\/|$)/.test(specifier))
    .flatMap(([specifier, file]) => listUnnameable(program, file).map((each) => `${specifier}: ${each}`))
  expect(missing).toEqual([])
})

test('public-api.txt lists every public name, so that a change of the public API is a visible change', async () => {
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
})
