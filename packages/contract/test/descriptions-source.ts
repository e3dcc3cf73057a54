import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const index = fileURLToPath(new URL('../src/index.ts', import.meta.url))

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  types: [],
}

/** What doc comments say of things with fields, by name. */
export type Described = { [name: string]: { description: string; fields: { [field: string]: string } } }

// Sorted, because the order of the properties of a type is the compiler's own affair.
const sorted = <Value>(entries: [string, Value][]): { [name: string]: Value } =>
  Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))

/** What the doc comments in the sources say of each exported schema, its fields, and each error code. */
export const readDescriptions = (): Described => {
  const program = ts.createProgram([index], options)
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(index)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${index} is not a module.`)

  const inline = (text: string): string => text.replaceAll(/(?<!\n)\n(?!\n)/g, ' ')

  const commentOf = (symbol: ts.Symbol): string =>
    inline(ts.displayPartsToString(symbol.getDocumentationComment(checker)))

  // A schema and its type share a name; the type tells what it is.
  const typeCommentOf = (symbol: ts.Symbol): string => {
    const comments = (symbol.declarations ?? [])
      .filter(ts.isTypeAliasDeclaration)
      .flatMap(ts.getJSDocCommentsAndTags)
    return inline(comments.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '').join('\n\n'))
  }

  const fieldsOf = (symbol: ts.Symbol): ts.Symbol[] => {
    if (symbol.name === 'errorCodes') return checker.getTypeOfSymbol(symbol).getProperties()
    const isSchema = symbol.flags & ts.SymbolFlags.Variable && symbol.flags & ts.SymbolFlags.TypeAlias
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    return isSchema && type.flags & ts.TypeFlags.Object ? type.getProperties() : []
  }

  const describe = (symbol: ts.Symbol): [string, Described[string]] => [
    symbol.name,
    {
      description: typeCommentOf(symbol) || commentOf(symbol),
      fields: sorted(fieldsOf(symbol).map((field) => [field.name, commentOf(field)])),
    },
  ]

  const symbols = checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
  return sorted(symbols.filter((symbol) => fieldsOf(symbol).length > 0).map(describe))
}

const header = `// Written from the doc comments of the sources by doc-comments.test.ts; "vitest run packages/contract -u" writes it again.
// biome-ignore-all format: written by a program

/** What each schema, each of its fields, and each error code means. */
export const descriptions: {
  readonly [name: string]: { readonly description: string; readonly fields: { readonly [field: string]: string } }
}`

/** The source of `descriptions.ts`. */
export const descriptionsSource = (described: Described): string =>
  `${header} = ${JSON.stringify(described, null, 2)}\n`
