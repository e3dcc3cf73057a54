/** Thrown if the options of an examination are wrong. */
export class AcceptanceUsageError extends Error {
  override readonly name = 'AcceptanceUsageError'
}

/** Thrown if the server that should be examined, or its control API, does not respond at all. */
export class ServerUnreachableError extends Error {
  override readonly name = 'ServerUnreachableError'
}
