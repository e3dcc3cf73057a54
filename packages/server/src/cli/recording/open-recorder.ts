import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { CliError, exitCodes } from '../output.ts'

const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW } = constants

/** Refuses a symbolic link, except on Windows, which has no `O_NOFOLLOW`. */
const flags = O_APPEND | O_CREAT | O_RDWR | (O_NOFOLLOW ?? 0)

/** Strangers can reach the port of `capture` through a tunnel, so a file must not fill the disk. */
const maxFileBytes = 1024 ** 3

/**
 * Opens a file to which lines are appended, readable only by its owner (except on Windows), because bodies contain personal data.
 *
 * @throws CliError if the file cannot be opened, is a symbolic link, or is owned by another user.
 */
export const openRecorder = async (file: string) => {
  const handle = await open(file, flags, 0o600).catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'ELOOP' ? 'it is a symbolic link. Name the file itself.' : cause.message
    throw new CliError(`${file} cannot be written: ${reason}`, exitCodes.usage, { cause })
  })
  const stats = await handle.stat()
  // An existing file may be readable by other users. The permissions of a device, such as /dev/null, stay as they are.
  if (stats.isFile())
    await handle.chmod(0o600).catch(async (cause: Error) => {
      await handle.close()
      const message = `${file} cannot be made readable by you alone: ${cause.message}. Name a new file, or one of your own.`
      throw new CliError(message, exitCodes.usage, { cause })
    })
  let { size } = stats
  const last = Buffer.alloc(1)
  if (size > 0) await handle.read(last, 0, 1, size - 1)
  /** Set if the file may end within a line, for example because a process was killed or the disk was full. */
  let isTorn = size > 0 && last.toString() !== '\n'
  let pending: Promise<void> = Promise.resolve()

  const commit = async (line: string): Promise<void> => {
    const text = `${isTorn ? '\n' : ''}${line}\n`
    const nextSize = size + Buffer.byteLength(text)
    if (nextSize > maxFileBytes) throw new Error('it would exceed 1 GiB. Start again with another file.')
    size = nextSize
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
