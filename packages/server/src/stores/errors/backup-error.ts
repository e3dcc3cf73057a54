/** Thrown when a backup cannot be created. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}
