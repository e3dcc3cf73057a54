/** The id is already in use. Nothing was changed. */
export class RecordExistsError extends Error {
  override readonly name = 'RecordExistsError'
  /** Identifies the error. */
  readonly code = 'record_exists'
  /** The kind of record that exists. */
  readonly kind: 'organization' | 'call' | 'api key'

  /**
   * @param kind - the kind of record that exists.
   * @param id - its id; for an API key, its fingerprint.
   */
  constructor(kind: 'organization' | 'call' | 'api key', id: string) {
    super(
      `The ${kind} ${JSON.stringify(id)} exists already. Choose another one, or omit it to get a generated one.`,
    )
    this.kind = kind
  }
}
