import { useSignal } from '@preact/signals'
import type { Event } from '@wabakit/server/control-types'
import { getMessage } from '../api/api-error.ts'
import { sendOwn } from '../api/organization.ts'
import { findSubscription, subscriptions } from '../api/subscriptions.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, type DialogControl, openDialog } from '../parts/dialog.tsx'
import { Select } from '../parts/select.tsx'
import { Problem } from '../parts/status.tsx'
import { notify } from '../state/notices.ts'
import { navigate } from '../state/route.ts'
import { loadEvent } from './delivery-actions.ts'

type EditorProps = Awaited<ReturnType<typeof loadEvent>> & DialogControl

const Editor = ({ event, subscriptionId, onClose }: EditorProps) => {
  const { name, subject, payload } = event
  const target = useSignal(subscriptionId)
  const text = useSignal(JSON.stringify(JSON.parse(payload), null, 2))
  const isEdited = useSignal(false)
  const problem = useSignal('')
  const send = async (): Promise<void> => {
    try {
      const body = { name, subject, payload: JSON.parse(text.value) }
      const sent = await sendOwn<Event>(['subscriptions', target.value, 'test-events'], { body })
      notify(`Sent to ${findSubscription(target.value)?.url ?? 'the endpoint'}.`)
      onClose()
      navigate('deliveries', { text: sent.id })
    } catch (error) {
      problem.value = getMessage(error)
    }
  }
  return (
    <Dialog
      title={`Edit and send ${name}`}
      onClose={onClose}
      unsaved={isEdited.value ? 'The edited payload is not saved.' : undefined}
    >
      <label>
        Endpoint
        <Select
          value={target.value}
          choices={subscriptions.value.map(({ id, url, channel }) => ({
            value: id,
            label: `${url} · ${channel}`,
          }))}
          onChange={(id) => (target.value = id)}
        />
      </label>
      <label>
        Payload
        <textarea
          class="code"
          rows={16}
          spellcheck={false}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
            isEdited.value = true
          }}
        />
      </label>
      <p class="quiet">
        The server sends edited payloads only to loopback addresses, unless it was started with{' '}
        <code>--mock</code>.
      </p>
      <Problem text={problem.value} />
      <footer>
        <Button kind="primary" onClick={send}>
          Sign and send
        </Button>
      </footer>
    </Dialog>
  )
}

export const editAndSend = async (deliveryId: string): Promise<void> => {
  try {
    const draft = await loadEvent(deliveryId)
    openDialog((close) => <Editor {...draft} onClose={close} />)
  } catch (error) {
    notify(getMessage(error), { isProblem: true })
  }
}
