import { receiver } from './receiver.ts'

type SqsEvent = { readonly Records: readonly { readonly messageId: string; readonly body: string }[] }

export const handler = async ({ Records }: SqsEvent) => {
  const store = ({ messageId: id, body }: SqsEvent['Records'][number]) =>
    receiver.accept(body, { id, source: 'sqs' }).then(
      () => [],
      () => [{ itemIdentifier: id }],
    )
  return { batchItemFailures: (await Promise.all(Records.map(store))).flat() }
}
