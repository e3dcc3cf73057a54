import { open } from 'node:fs/promises'
import { CliError, exitCodes } from '../output.ts'

/**
 * Opens a file to which lines are appended, readable only by its owner, because bodies contain personal data.
 *
 * @throws CliError if the file cannot be written.
 */
export const openRecorder = async (file: string) => {
  const handle = await open(file, 'a+', 0o600).catch((cause: Error) => {
    throw new CliError(`${file} cannot be written: ${cause.message}`, exitCodes.usage, { cause })
  })
  // An existing file may be readable by other users.
  await handle.chmod(0o600)
  const { size } = await handle.stat()
  const last = Buffer.alloc(1)
  if (size > 0) await handle.read(last, 0, 1, size - 1)
  /** Set if the file ends within a line, because a process was killed or the disk was full. */
  let isTorn = size > 0 && last.toString() !== '\n'
  let pending: Promise<void> = Promise.resolve()

  const commit = async (line: string): Promise<void> => {
    const text = `${isTorn ? '\n' : ''}${line}\n`
    isTorn = true
    await handle.appendFile(text)
    await handle.datasync()
    isTorn = false
  }
  return {
    /** Appends a line. Resolves when it is on the disk. */
    append: (line: string): Promise<void> => {
      const written = pending.then(() => commit(line))
      pending = written.catch(() => {})
      return written
    },
    close: async (): Promise<void> => {
      await pending
      await handle.close()
    },
  }
}
