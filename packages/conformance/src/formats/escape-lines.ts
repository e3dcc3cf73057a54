import { escapeControls } from '@wabakit/wire'

/** Escapes everything in a text that a terminal or an editor might obey, except line breaks. */
export const escapeLines = (text: string): string => text.replace(/[^\n]+/g, escapeControls)
