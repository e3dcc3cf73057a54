/** Invisible characters, some of which reorder the text after them. */
const invisible = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** Returns text with bidirectional and invisible characters replaced by escapes, such as `\\u202e`. */
export const reveal = (text: string): string =>
  text.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
