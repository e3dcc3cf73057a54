import { escapeControls } from '@wabakit/contract/escape-controls'

/** Escapes the control characters of a text, except those that lay out its lines. */
export const escapeText = (text: string): string => text.replace(/[^\t\n]+/g, (part) => escapeControls(part))

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is how colours begin.
const styles = /(\u001b\[[\d;]*m)/

/** The same for a text that has colours. */
export const escapeUnstyled = (text: string): string =>
  text
    .split(styles)
    .map((part, index) => (index % 2 === 1 ? part : escapeText(part)))
    .join('')
