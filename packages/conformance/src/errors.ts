/** The options of an examination are invalid. Nothing was sent. */
export class ExaminationUsageError extends Error {
  override readonly name = 'ExaminationUsageError'
}

/** No connection to the endpoint or the service could be made. There is no report. */
export class TargetUnreachableError extends Error {
  override readonly name = 'TargetUnreachableError'
}

/** The application's effects could not be read. */
export class EffectsError extends Error {
  override readonly name = 'EffectsError'
}
