import * as z from 'zod/mini'

/** An object schema whose type names its known fields only, although parsing keeps the unknown ones too. */
export type Exact<Shape extends z.core.$ZodShape> = z.ZodMiniObject<Shape, z.core.$strip>

/**
 * An object schema that keeps unknown fields when parsing, while its inferred type names the known ones only:
 * with an index signature in the type, a misspelt `event.calId` would compile. `extraFields` reads the rest.
 *
 * The shape comes from a function, and the calls are marked as pure, so that a bundler drops the schemas that nobody uses.
 */
export const exact = <Shape extends z.core.$ZodShape>(shape: () => Shape): Exact<Shape> =>
  z.looseObject(shape()) as unknown as Exact<Shape>

/** An object schema that refuses unknown fields. */
export type Strict<Shape extends z.core.$ZodShape> = z.ZodMiniObject<Shape, z.core.$strict>
