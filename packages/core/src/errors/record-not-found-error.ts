/** What can be looked for and not be there. */
export type RecordKind = 'organization' | 'group' | 'participant' | 'call' | 'subscription' | 'delivery'

/** There is no such record in the organization; nothing was changed. */
export class RecordNotFoundError extends Error {
  override readonly name = 'RecordNotFoundError'
  /** For programs; always this. */
  readonly code = 'record_not_found'
  /** What was looked for. */
  readonly kind: RecordKind
  /** By which id. */
  readonly id: string

  /**
   * @param kind - what was looked for.
   * @param id - by which id.
   */
  constructor(kind: RecordKind, id: string) {
    super(
      `There is no ${kind} ${JSON.stringify(id)}${kind === 'organization' ? '' : ' in this organization'}.`,
    )
    this.kind = kind
    this.id = id
  }
}
