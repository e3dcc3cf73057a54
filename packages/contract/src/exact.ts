import * as z from 'zod/mini'

/** An object schema that keeps unknown fields when parsing, but whose inferred type has the known fields only. */
export type Exact<Shape extends z.core.$ZodShape> = z.ZodMiniObject<Shape, z.core.$strip>

/**
 * Keeps unknown fields when parsing, but leaves the index signature out of the inferred type: with it, a misspelled
 * `event.calId` would compile. `extraFields` reads the unknown fields.
 *
 * The shape is a function, and callers mark the call as pure, so that bundlers can drop unused schemas.
 */
export const exact = <Shape extends z.core.$ZodShape>(shape: () => Shape): Exact<Shape> =>
  z.looseObject(shape()) as unknown as Exact<Shape>

/** An object schema that rejects unknown fields. */
export type Strict<Shape extends z.core.$ZodShape> = z.ZodMiniObject<Shape, z.core.$strict>
