import { createReadStream } from 'node:fs'
import { CliError, exitCodes } from '../output.ts'

const newline = 0x0a
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

const openFile = (file: string): AsyncIterable<Buffer> => {
  if (file !== '-') return createReadStream(file)
  if (process.stdin.isTTY) process.stderr.write('Reading from standard input. Press Ctrl-D to end it.\n')
  return process.stdin
}

/** Yields the lines of chunks as bytes, because a body need not be UTF-8. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)])
      parts = []
      start = end + 1
    }
    parts.push(chunk.subarray(start))
  }
  yield Buffer.concat(parts)
}

const isBlank = (line: Buffer): boolean => line.every((byte) => byte === 0x20 || byte === 0x09)

/**
 * Yields the lines of a file, or of standard input for `-`, with their numbers. Skips blank lines, and strips line
 * endings (LF or CRLF) and a byte order mark.
 *
 * @throws CliError if the file cannot be read.
 */
export async function* readLines(file: string): AsyncGenerator<{ number: number; bytes: Buffer }> {
  let number = 0
  try {
    for await (const line of splitLines(openFile(file))) {
      number += 1
      const start = number === 1 && line.subarray(0, 3).equals(byteOrderMark) ? 3 : 0
      const bytes = line.subarray(start, line.at(-1) === 0x0d ? -1 : undefined)
      if (!isBlank(bytes)) yield { number, bytes }
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new CliError(`${file} cannot be read: ${error.message}`, exitCodes.usage, { cause: error })
  }
}
