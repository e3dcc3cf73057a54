import { escapeControls } from '@wabakit/wire'

/** Escapes control characters except tabs and line breaks. */
export const escapeText = (text: string): string => text.replace(/[^\t\n]+/g, (part) => escapeControls(part))

// biome-ignore lint/suspicious/noControlCharactersInRegex: color codes begin with one.
const styles = /(\u001b\[[\d;]*m)/

/** Escapes like {@link escapeText}, but keeps color codes. */
export const escapeUnstyled = (text: string): string =>
  text
    .split(styles)
    .map((part, index) => (index % 2 === 1 ? part : escapeText(part)))
    .join('')
