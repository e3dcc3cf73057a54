/** The options of an examination or a probe are invalid, or do not allow the target. Nothing was sent. */
export class ExaminationUsageError extends Error {
  override readonly name = 'ExaminationUsageError'
}

/** No connection to the endpoint could be made, or the service did not respond to the first request. There is no report. */
export class TargetUnreachableError extends Error {
  override readonly name = 'TargetUnreachableError'
}

/** The application's effects could not be read. */
export class EffectsError extends Error {
  override readonly name = 'EffectsError'
}
