/** The id is in use already; nothing was changed. */
export class RecordExistsError extends Error {
  override readonly name = 'RecordExistsError'
  /** For programs; always this. */
  readonly code = 'record_exists'
  /** What exists already. */
  readonly kind: 'organization' | 'call' | 'api key'

  /**
   * @param kind - what exists already.
   * @param id - by which id; for a key, its fingerprint.
   */
  constructor(kind: 'organization' | 'call' | 'api key', id: string) {
    super(
      `The ${kind} ${JSON.stringify(id)} exists already. Choose another, or leave it out to have one made.`,
    )
    this.kind = kind
  }
}
