import { Converter, ReflectionKind } from 'typedoc'
import { importPaths } from '../typedoc.config.js'

/**
 * Names the modules of the reference by the paths that users import them from.
 *
 * @param {import('typedoc').Application} app
 */
export const load = (app) => {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return
    const { fileName = '' } =
      context.getSymbolFromReflection?.(reflection)?.declarations?.[0]?.getSourceFile() ?? {}
    const found = importPaths.find(({ file }) => fileName.endsWith(file))
    if (found) reflection.name = found.path
  })
}
