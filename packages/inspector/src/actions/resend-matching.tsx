import { useSignal } from '@preact/signals'
import { sendOwn } from '../api/organization.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { useRecord } from '../parts/use-record.ts'
import { perform } from './perform.ts'

type Query = Readonly<Record<string, string>>

type Part = { readonly resent: number; readonly nextCursor?: string }

/** Resends, or counts, all deliveries that match, part by part. Calls `onPart` with the number so far. */
const resend = async (
  body: Readonly<Record<string, unknown>>,
  onPart: (count: number) => void,
): Promise<number> => {
  let count = 0
  for (let cursor: string | undefined; ; ) {
    const part: Part = await sendOwn('/deliveries/resend', { method: 'POST', body: { ...body, cursor } })
    count += part.resent
    onPart(count)
    cursor = part.nextCursor
    if (cursor === undefined) return count
  }
}

const Confirmation = ({ query, onClose }: { readonly query: Query; readonly onClose: () => void }) => {
  const counted = useSignal(0)
  const resent = useSignal<number | undefined>(undefined)
  const count = (): Promise<number> =>
    resend({ ...query, dryRun: true }, (soFar) => {
      counted.value = soFar
    })
  const { value: total, problem } = useRecord({ load: count }, [])
  const confirm = async (): Promise<void> => {
    resent.value = 0
    await perform(async () => {
      const done = await resend(query, (soFar) => {
        resent.value = soFar
      })
      return `${done} sent again.`
    })
    onClose()
  }
  const isRunning = resent.value !== undefined
  const text = isRunning
    ? `${resent.value} of ${total} are sent again…`
    : total === undefined
      ? `Counting… ${counted.value} so far`
      : `${total} of the deliveries that match can be sent again:`
  return (
    <Dialog title="Resend all that match" onClose={onClose}>
      <div class="form">
        {problem !== '' && <p class="problem">{problem}</p>}
        <p role="status">{text}</p>
        <dl class="facts">
          {Object.entries(query).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <p class="hint">
          They keep their webhook-id: a receiver that has handled one already does not handle it again. Those
          that wait in a lane, are being sent or belong to a disabled subscription are left out.
        </p>
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" disabled={!total || isRunning} onClick={confirm}>
            {total === undefined ? 'Resend' : `Resend all ${total} that match`}
          </Button>
        </footer>
      </div>
    </Dialog>
  )
}

/** Sends all deliveries again that match the filters, after it has counted them. */
export const ResendMatching = ({ query }: { readonly query: Query }) => {
  const isOpen = useSignal(false)
  return (
    <>
      <Button icon="resend" onClick={() => (isOpen.value = true)}>
        Resend all that match
      </Button>
      {isOpen.value && <Confirmation query={query} onClose={() => (isOpen.value = false)} />}
    </>
  )
}
