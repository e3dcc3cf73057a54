import * as z from 'zod/mini'

/**
 * An object schema that keeps unknown fields when parsing, while its inferred type names the known ones only:
 * with an index signature in the type, a misspelt `event.calId` would compile. `extraFields` reads the rest.
 */
export const exact = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.looseObject(shape) as unknown as z.ZodMiniObject<Shape, z.core.$strip>
