const toAsciiLowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** Returns whether a text contains a part, with ASCII letters in any case. */
export const containsText = (text: string, part: string): boolean =>
  toAsciiLowerCase(text).includes(toAsciiLowerCase(part))
