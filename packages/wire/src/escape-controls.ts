/** What a terminal obeys (C0, DEL, C1), what ends a line, and what reverses the order of a line's characters. */
const unsafe = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/**
 * Returns text of others so that it can be printed or logged in one line: each control character, line separator and
 * bidirectional control is replaced by its escape, such as `\u001b`.
 *
 * @example
 * escapeControls('paid\u001b[2J') // 'paid\\u001b[2J'
 */
export const escapeControls = (text: string): string =>
  text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
