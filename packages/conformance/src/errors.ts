/** The doctor was called with options that it cannot work with. Nothing was sent. */
export class DoctorUsageError extends Error {
  override readonly name = 'DoctorUsageError'
}

/** No connection to the endpoint could be made, so that there is nothing to report. */
export class EndpointUnreachableError extends Error {
  override readonly name = 'EndpointUnreachableError'
}

/** The application's effects could not be read. */
export class EffectsError extends Error {
  override readonly name = 'EffectsError'
}

/** Thrown if the options of an examination are wrong. */
export class AcceptanceUsageError extends Error {
  override readonly name = 'AcceptanceUsageError'
}

/** Thrown if the server that should be examined, or its control API, does not respond at all. */
export class ServerUnreachableError extends Error {
  override readonly name = 'ServerUnreachableError'
}
