import { statSync } from 'node:fs'
import { StorageOutcomeUnknownError, StorageUnavailableError } from '@wabakit/core'

/** Minimum time between two checks of the files, in milliseconds. A check takes about 50 µs. */
const intervalMs = 25

const explanation = (file: string): string =>
  `${file} was deleted or replaced while the server had it open, so what it writes would be lost. It writes nothing more: stop it, and start it again on the file or on a backup.`

/**
 * Watches a database's files. SQLite silently continues to write to deleted files, and to files replaced by a
 * restored backup. Therefore, this compares the inodes with the inodes of the opened files.
 */
export const watchFiles = (path: string, now: () => number = () => performance.now()) => {
  const readInode = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino
  const opened = ['', '-wal', '-shm'].map((suffix) => {
    const file = `${path}${suffix}`
    return { file, inode: readInode(file) }
  })
  let lookedAt = now()
  let gone: string | undefined
  return {
    /**
     * Checks the files, unless they were just checked. Must be called after each commit, before the commit is
     * acknowledged.
     *
     * @throws StorageOutcomeUnknownError if a file was deleted or replaced.
     */
    look: (): void => {
      if (gone === undefined && now() - lookedAt < intervalMs) return
      lookedAt = now()
      gone ??= opened.find(({ file, inode }) => readInode(file) !== inode)?.file
      if (gone !== undefined) throw new StorageOutcomeUnknownError(explanation(gone))
    },
    /** @throws StorageUnavailableError if an earlier check found that a file was deleted or replaced. */
    check: (): void => {
      if (gone !== undefined) throw new StorageUnavailableError(explanation(gone))
    },
  }
}
