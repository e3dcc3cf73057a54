import * as z from 'zod/mini'

/** A zod schema of an object. */
export interface ObjectSchema<Value> extends z.ZodMiniType<Value> {
  /** Schemas of the fields, by name. */
  readonly shape: { readonly [Field in keyof Value]-?: z.ZodMiniType }
}

/** `unknown` if `A` and `B` are the same type; otherwise `never`. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? unknown : never

type Output<Shape extends z.core.$ZodShape> = z.output<z.ZodMiniObject<Shape, z.core.$strip>>

/**
 * Creates a schema that keeps unknown fields. `Value` has only the known fields, because an index signature would let a
 * misspelled `event.calId` compile. A call does not compile if `Value` and the schemas of the fields differ.
 *
 * `shape` is a function, and callers mark the call as pure, so that bundlers can drop unused schemas.
 */
export const exact = <Value, Shape extends z.core.$ZodShape>(
  shape: () => Shape & Same<Output<Shape>, Value>,
): ObjectSchema<Value> => z.looseObject(shape()) as unknown as ObjectSchema<Value>
