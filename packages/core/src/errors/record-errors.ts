/** There is no such organization, or the organization has no such record. Nothing was changed. */
export class RecordNotFoundError extends Error {
  override readonly name = 'RecordNotFoundError'
  readonly code = 'record_not_found'
  readonly kind: 'organization' | 'group' | 'participant' | 'call' | 'subscription' | 'delivery'
  readonly id: string

  constructor(kind: RecordNotFoundError['kind'], id: string) {
    super(
      `There is no ${kind} ${JSON.stringify(id)}${kind === 'organization' ? '' : ' in this organization'}.`,
    )
    this.kind = kind
    this.id = id
  }
}

/** The id or the API key is already in use. Nothing was changed. */
export class RecordExistsError extends Error {
  override readonly name = 'RecordExistsError'
  readonly code = 'record_exists'
  readonly kind: 'organization' | 'call' | 'api key'

  /** @param id - the id of the record or, for an API key, its fingerprint. */
  constructor(kind: RecordExistsError['kind'], id: string) {
    super(
      `The ${kind} ${JSON.stringify(id)} already exists. Choose another one, or omit it to have one generated.`,
    )
    this.kind = kind
  }
}
