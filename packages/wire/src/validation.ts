/**
 * One problem with an invalid input.
 *
 * @interface
 */
export type Issue = {
  /** Path of the field, with dots: `summary.keyPoints.0`. Empty for the whole input. */
  path: string
  /** A description of the problem, such as `subject must not be empty`. */
  message: string
}

/** Result of a validation, as by {@link validateEvent}: the typed value, or the issues found. */
export type Validation<Value> =
  | {
      readonly success: true
      readonly data: Value
    }
  | {
      readonly success: false
      /** The problems found, in the order of the schema's fields. */
      readonly issues: Issue[]
    }
