/** A kind of record that may not exist. */
export type RecordKind = 'organization' | 'group' | 'participant' | 'call' | 'subscription' | 'delivery'

/** The organization has no such record. Nothing was changed. */
export class RecordNotFoundError extends Error {
  override readonly name = 'RecordNotFoundError'
  /** Identifies the error. */
  readonly code = 'record_not_found'
  /** The kind of record that does not exist. */
  readonly kind: RecordKind
  /** Its id. */
  readonly id: string

  /**
   * @param kind - the kind of record that does not exist.
   * @param id - its id.
   */
  constructor(kind: RecordKind, id: string) {
    super(
      `There is no ${kind} ${JSON.stringify(id)}${kind === 'organization' ? '' : ' in this organization'}.`,
    )
    this.kind = kind
    this.id = id
  }
}
