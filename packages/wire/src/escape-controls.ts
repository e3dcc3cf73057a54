/**
 * What a terminal obeys (C0, DEL, C1), what ends a line, and what reverses the order of a line's characters. As ranges, because
 * older React Native cannot compile a module that contains `\p`.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it finds.
const unsafe = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/**
 * Returns text of others so that it can be printed or logged in one line: each control character, line separator and
 * bidirectional control is replaced by its escape, such as `\u001b`.
 *
 * @example
 * escapeControls('paid\u001b[2J') // 'paid\\u001b[2J'
 */
export const escapeControls = (text: string): string =>
  text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
