/**
 * The limits of the service. Lengths count Unicode code points (what JSON Schema's `maxLength` counts), not
 * UTF-16 units: a subject of 128 emoji is legal.
 */
export const limits = {
  /** Longest group subject, in code points. */
  subjectMaxLength: 128,
  /** Longest group description, in code points. */
  descriptionMaxLength: 2048,
  /** Longest client-chosen group id, in code points. */
  groupIdMaxLength: 50,
  /** Largest request body that the create endpoint reads, in bytes. */
  requestBodyMaxBytes: 65_536,
} as const
