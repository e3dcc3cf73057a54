/** Control characters (C0, DEL, C1), line separators, and characters that change the direction of text. */
const unsafe = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/**
 * Makes untrusted text safe to print or log on one line: replaces each control character, line separator and
 * bidirectional control with its escape, such as `\u001b`.
 *
 * @example
 * escapeControls('paid\u001b[2J') // 'paid\\u001b[2J'
 */
export const escapeControls = (text: string): string =>
  text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
