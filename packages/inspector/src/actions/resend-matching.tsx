import { useSignal } from '@preact/signals'
import { sendOwn } from '../api/organization.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { useRecord } from '../parts/use-record.ts'
import { perform } from './perform.ts'

type Query = Readonly<Record<string, string>>

const resend = (query: Query, options: { readonly dryRun?: true } = {}): Promise<{ resent: number }> =>
  sendOwn('/deliveries/resend', { method: 'POST', body: { ...query, ...options } })

const Confirmation = ({ query, onClose }: { readonly query: Query; readonly onClose: () => void }) => {
  const { value, problem } = useRecord({ load: () => resend(query, { dryRun: true }) }, [])
  const count = value?.resent
  const confirm = async (): Promise<void> => {
    onClose()
    await perform(async () => `${(await resend(query)).resent} sent again.`)
  }
  return (
    <Dialog title="Resend all that match" onClose={onClose}>
      <div class="form">
        {problem !== '' && <p class="problem">{problem}</p>}
        <p role="status">
          {count === undefined ? 'Counting…' : `${count} of the deliveries that match can be sent again:`}
        </p>
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
          <Button kind="primary" disabled={!count} onClick={confirm}>
            {count === undefined ? 'Resend' : `Resend all ${count} that match`}
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
