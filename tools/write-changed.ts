import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** Writes a file unless it already has this text. Another command, such as `npm run docs`, may be reading it. */
export const writeChanged = (file: string, text: string): void => {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
}
