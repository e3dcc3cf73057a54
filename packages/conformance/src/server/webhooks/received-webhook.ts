/** A request that arrived at the examiner's listener. */
export type ReceivedWebhook = {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  /** The body as it arrived. */
  readonly text: string
  /** The parsed body; `undefined` if it is not JSON. */
  readonly json: unknown
  /** The field `event` of the body, or an empty string. */
  readonly event: string
  readonly callId: string
  readonly groupId: string
  /** Unix time of its arrival, in milliseconds. */
  readonly arrivedAt: number
  readonly status: number
}

/** Removes deliveries that arrived again although they had been accepted, which at-least-once delivery allows. */
export const withoutRedeliveries = (webhooks: readonly ReceivedWebhook[]): ReceivedWebhook[] => {
  const accepted = new Set<string>()
  return webhooks.filter(({ headers, status }) => {
    const id = headers.get('webhook-id') ?? ''
    if (accepted.has(id)) return false
    if (id !== '' && status === 204) accepted.add(id)
    return true
  })
}
