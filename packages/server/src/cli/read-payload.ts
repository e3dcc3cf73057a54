import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { CliError, exitCodes } from './cli-error.ts'

/**
 * The bytes of a file, or of standard input for `-` or none.
 *
 * @throws CliError when the file cannot be read.
 */
export const readPayload = async (file = '-'): Promise<Uint8Array> => {
  if (file === '-') {
    if (process.stdin.isTTY)
      process.stderr.write('Reading the payload from standard input; end it with Ctrl-D.\n')
    return buffer(process.stdin)
  }
  try {
    return await readFile(file)
  } catch (error) {
    throw new CliError(
      `${file} cannot be read: ${error instanceof Error ? error.message : error}`,
      exitCodes.usage,
    )
  }
}
