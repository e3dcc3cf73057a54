import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { CliError, exitCodes } from './output.ts'

/** Reads a file, or standard input if the file is omitted or `-`. */
export const readPayload = async (file = '-'): Promise<Uint8Array> => {
  if (file === '-') {
    if (process.stdin.isTTY)
      process.stderr.write(
        'Reading the payload from standard input. Press Ctrl-D to end it (on Windows, Ctrl-Z and Enter).\n',
      )
    return buffer(process.stdin)
  }
  try {
    return await readFile(file)
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    throw new CliError(`${file} cannot be read: ${reason}`, exitCodes.usage)
  }
}
