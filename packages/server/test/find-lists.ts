import type * as z from 'zod/mini'

/** A list in a schema. In its path, `*` stands for each item of an outer list. */
export type List = { readonly path: readonly string[]; readonly item: z.core.$ZodType }

const leaves = [
  'string',
  'number',
  'boolean',
  'literal',
  'enum',
  'unknown',
  'any',
  'template_literal',
  'transform',
]

/** Finds each list in a schema. Throws for a type that it does not know, which may contain a list. */
export const findLists = (schema: z.core.$ZodType, path: readonly string[] = []): List[] => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'array':
      return [{ path, item: def.element }, ...findLists(def.element, [...path, '*'])]
    case 'object':
      return Object.entries(def.shape).flatMap(([name, field]) => findLists(field, [...path, name]))
    case 'record':
      return findLists(def.valueType, [...path, '*'])
    case 'union':
      return def.options.flatMap((option) => findLists(option, path))
    case 'pipe':
      return [...findLists(def.in, path), ...findLists(def.out, path)]
    case 'optional':
    case 'nullable':
    case 'readonly':
    case 'default':
      return findLists(def.innerType, path)
    default:
      if (leaves.includes(def.type)) return []
      throw new Error(`findLists does not know the type ${def.type} at ${path.join('.')}`)
  }
}
