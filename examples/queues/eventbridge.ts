import { receiver } from './receiver.ts'

type EventBridgeEvent = { readonly id: string; readonly source: string; readonly detail: object }

export const handler = async ({ id, source, detail }: EventBridgeEvent) => {
  await receiver.accept(JSON.stringify(detail), { id, source })
}
