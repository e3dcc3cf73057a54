import { createReceiver, type DeliveryContext, identifyEvent, urlToken } from 'wabakit/webhooks'

type SqsMessage = {
  readonly MessageBody: string
  readonly MessageDeduplicationId: string
  readonly MessageGroupId: string
}

export const createForwarder = (send: (message: SqsMessage) => Promise<unknown>) => {
  const forward = async (_: unknown, { rawBody, headers }: DeliveryContext) => {
    const { key, subject = key } = await identifyEvent(rawBody, headers)
    const body = new TextDecoder().decode(rawBody)
    await send({ MessageBody: body, MessageDeduplicationId: key, MessageGroupId: subject })
  }
  const token = () => process.env.WEBHOOK_TOKEN ?? ''
  const receiver = createReceiver({ verify: urlToken({ token }) })
  return receiver.onAny(forward).onUnknown(forward).onDrift(forward)
}
