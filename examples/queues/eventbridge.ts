import { identifyEvent } from 'wabakit/webhooks'
import { receiver } from './receiver.ts'

type EventBridgeEvent = { readonly id: string; readonly source: string; readonly detail: object }

export const handler = async ({ id, source, detail }: EventBridgeEvent) => {
  const body = JSON.stringify(detail)
  const { key, identity } = await identifyEvent(body)
  await receiver.accept(body, { id: identity === 'none' ? id : key, source })
}
