/** Thrown when a backup cannot be made. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}
