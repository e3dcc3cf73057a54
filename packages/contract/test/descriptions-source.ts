import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const index = fileURLToPath(new URL('../src/index.ts', import.meta.url))
const wire = fileURLToPath(new URL('../../wire/src/index.ts', import.meta.url))

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  customConditions: ['@wabakit/source'],
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  types: [],
}

/** Doc comments of exported schemas and their fields, by name. */
export type Described = { [name: string]: { description: string; fields: { [field: string]: string } } }

// The compiler does not guarantee the order of a type's properties.
const sortByName = <Value>(entries: [string, Value][]): { [name: string]: Value } =>
  Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))

/** Reads the doc comments of each exported schema, its fields, and each error code. */
export const readDescriptions = (): Described => {
  const program = ts.createProgram([index, wire], options)
  const checker = program.getTypeChecker()

  const listExports = (file: string): ts.Symbol[] => {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    if (module === undefined) throw new Error(`${file} is not a module.`)
    return checker
      .getExportsOfModule(module)
      .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
  }

  const types = new Map(listExports(wire).map((symbol) => [symbol.name, symbol]))

  const joinLines = (text: string): string => text.replaceAll(/(?<!\n)\n(?!\n)/g, ' ')

  const readComment = (symbol: ts.Symbol): string =>
    joinLines(ts.displayPartsToString(symbol.getDocumentationComment(checker)))

  // A schema and its type share a name. The type's comment describes both.
  const readTypeComment = (symbol: ts.Symbol): string => {
    const comments = (symbol.declarations ?? [])
      .filter(ts.isTypeAliasDeclaration)
      .flatMap(ts.getJSDocCommentsAndTags)
    return joinLines(comments.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '').join('\n\n'))
  }

  const assertSameComment = (symbol: ts.Symbol): void => {
    const type = types.get(symbol.name)
    if (type !== undefined && readTypeComment(type) !== readTypeComment(symbol))
      throw new Error(`The packages wire and contract describe ${symbol.name} differently.`)
  }

  const findFields = (symbol: ts.Symbol): ts.Symbol[] => {
    if (symbol.name === 'errorCodes') return checker.getTypeOfSymbol(symbol).getProperties()
    const isSchema = symbol.flags & ts.SymbolFlags.Variable && symbol.flags & ts.SymbolFlags.TypeAlias
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    return isSchema && type.flags & ts.TypeFlags.Object ? type.getProperties() : []
  }

  const describe = (symbol: ts.Symbol): [string, Described[string]] => {
    assertSameComment(symbol)
    const fields = sortByName(findFields(symbol).map((field) => [field.name, readComment(field)]))
    return [symbol.name, { description: readTypeComment(symbol) || readComment(symbol), fields }]
  }

  return sortByName(
    listExports(index)
      .filter((symbol) => findFields(symbol).length > 0)
      .map(describe),
  )
}

const header = `// Generated from doc comments by doc-comments.test.ts. Update with "npx vitest run packages/contract -u".
// biome-ignore-all format: generated

/**
 * Descriptions by path: a schema (\`Issue\`), a field (\`Issue.path\`), a field that several schemas share (\`*.to\`), or an error
 * code (\`errorCodes.body_too_large\`).
 */
export const descriptions: { readonly [path: string]: string }`

/** Returns the descriptions that several schemas share for a field of the same name. */
const findCommon = (described: Described): { [field: string]: string } => {
  const fields = Object.values(described).flatMap((schema) => Object.entries(schema.fields))
  const count = (field: string, text: string): number =>
    fields.filter(([otherField, otherText]) => otherField === field && otherText === text).length
  return sortByName(
    fields.filter(([field, text]) => count(field, text) > 1).sort((a, b) => count(...a) - count(...b)),
  )
}

/** Formats the source of `descriptions.ts`. */
export const formatDescriptions = (described: Described): string => {
  const common = findCommon(described)
  const own = Object.entries(described).flatMap(([name, { description, fields }]) => [
    [name, description],
    ...Object.entries(fields).flatMap(([field, text]) =>
      common[field] === text ? [] : [[`${name}.${field}`, text]],
    ),
  ])
  const shared = Object.entries(common).map(([field, text]) => [`*.${field}`, text])
  return `${header} = ${JSON.stringify(Object.fromEntries([...own, ...shared]), null, 2)}\n`
}
