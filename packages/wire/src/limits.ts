/**
 * Limits of the service. Lengths are in Unicode code points, like JSON Schema's `maxLength`, not in UTF-16 code units: a
 * subject of 128 emoji is valid.
 */
export const limits = {
  /** Maximum length of a group's subject, in code points. */
  subjectMaxLength: 128,
  /** Maximum length of a group's description, in code points. */
  descriptionMaxLength: 2048,
  /** Maximum length of a group id, in code points. */
  groupIdMaxLength: 50,
  /** Maximum size of the body of a create request, in bytes. */
  requestBodyMaxBytes: 65_536,
} as const
