import { receiver } from './receiver.ts'

type SqsRecord = {
  readonly messageId: string
  readonly body: string
  readonly attributes: { readonly MessageDeduplicationId?: string }
}

export const handler = async ({ Records }: { readonly Records: readonly SqsRecord[] }) => {
  const store = ({ messageId, body, attributes }: SqsRecord) =>
    receiver.accept(body, { id: attributes.MessageDeduplicationId ?? messageId, source: 'sqs' }).then(
      () => [],
      () => [{ itemIdentifier: messageId }],
    )
  return { batchItemFailures: (await Promise.all(Records.map(store))).flat() }
}
