import { Converter, DeclarationReflection, ReferenceType, ReflectionKind } from 'typedoc'
import ts from 'typescript'

/**
 * The name of a declaration's type, if that is what its source has.
 *
 * @param {ts.Declaration | undefined} declaration
 */
const findTypeName = (declaration) => {
  const isTyped = declaration && (ts.isParameter(declaration) || ts.isTypeAliasDeclaration(declaration))
  return isTyped && declaration.type && ts.isTypeReferenceNode(declaration.type)
    ? declaration.type.typeName
    : undefined
}

/**
 * Shows the names and fields of types that are inferred from schemas, as users see them.
 *
 * @param {import('typedoc').Application} app
 */
export const load = (app) => {
  app.converter.on(Converter.EVENT_CREATE_SIGNATURE, (context, signature, declaration) => {
    // A parameter has the name of its type, although TypeScript only knows what it stands for.
    for (const [index, parameter] of signature.parameters?.entries() ?? []) {
      const name = findTypeName(declaration?.parameters.filter(ts.isParameter)[index])
      const symbol = name && context.checker.getSymbolAtLocation(name)
      if (parameter.type?.type !== 'reflection' || !symbol) continue
      const resolved = context.resolveAliasedSymbol(symbol)
      if (resolved.getJsDocTags(context.checker).some((tag) => tag.name === 'inline')) continue
      context.project.removeReflection(parameter.type.declaration)
      parameter.type = context.createSymbolReference(resolved, context)
    }
  })

  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, alias) => {
    // It is listed with its fields, not as `z.infer<…>`.
    const { declarations = [] } = context.getSymbolFromReflection?.(alias) ?? {}
    if (declarations.some((each) => findTypeName(each)?.getText() === 'z.infer'))
      alias.comment?.modifierTags.add('@useDeclaredType')
  })

  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    // Errors are caught, not created.
    for (const each of project.getReflectionsByKind(ReflectionKind.Constructor))
      project.removeReflection(each)

    // A schema whose type alone is exported is listed a second time, as what zod calls it.
    for (const alias of project.getReflectionsByKind(ReflectionKind.TypeAlias)) {
      const type = alias instanceof DeclarationReflection ? alias.type : undefined
      if (type instanceof ReferenceType && type.name.startsWith('ZodMini')) project.removeReflection(alias)
    }
  })

  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    // An object that is taken apart in the list of parameters has no name, unless its comment has one.
    for (const parameter of project.getReflectionsByKind(ReflectionKind.Parameter))
      if (parameter.name === '__namedParameters') parameter.name = 'options'
  })
}
