/** The key of a delivery: the positions of its event and its subscription in their tables. */
export type DeliveryKey = { readonly event: number; readonly subscription: number }

const noDelivery: DeliveryKey = { event: 0, subscription: 0 }

export const formatDeliveryId = ({ event, subscription }: DeliveryKey): string =>
  `dlv_${event}_${subscription}`

/** Parses a delivery id, `dlv_<event>_<subscription>`. For any other string, returns a key that no delivery has. */
export const parseDeliveryId = (deliveryId: string): DeliveryKey => {
  const [, event, subscription] = /^dlv_([1-9]\d{0,14})_([1-9]\d{0,14})$/.exec(deliveryId) ?? []
  return event === undefined ? noDelivery : { event: Number(event), subscription: Number(subscription) }
}
