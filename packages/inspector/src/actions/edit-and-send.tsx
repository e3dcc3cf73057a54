import { signal, useSignal } from '@preact/signals'
import type { Event } from '@wabakit/server/control-types'
import { getMessage } from '../api/api-error.ts'
import { findSubscription, subscriptions } from '../api/choices.ts'
import { sendOwn } from '../api/organization.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Problem } from '../parts/status.tsx'
import { notify } from '../state/notices.ts'
import { navigate } from '../state/route.ts'
import { loadEvent } from './delivery-actions.ts'

type Draft = { readonly event: Event; readonly subscriptionId: string }

const draft = signal<Draft | undefined>(undefined)
const isEdited = signal(false)

const close = (): void => {
  isEdited.value = false
  draft.value = undefined
}

export const editAndSend = async (deliveryId: string): Promise<void> => {
  try {
    draft.value = await loadEvent(deliveryId)
  } catch (error) {
    notify(getMessage(error), { isProblem: true })
  }
}

const Editor = ({ event, subscriptionId }: Draft) => {
  const target = useSignal(subscriptionId)
  const text = useSignal(JSON.stringify(JSON.parse(event.payload), null, 2))
  const problem = useSignal('')
  const send = async (): Promise<void> => {
    try {
      const { name, subject } = event
      const body = { name, subject, payload: JSON.parse(text.value) }
      const path = `/subscriptions/${encodeURIComponent(target.value)}/test-events`
      const sent = await sendOwn<Event>(path, { method: 'POST', body })
      notify(`Sent to ${findSubscription(target.value)?.url ?? 'the endpoint'}.`)
      close()
      navigate('deliveries', { text: sent.id })
    } catch (error) {
      problem.value = getMessage(error)
    }
  }
  return (
    <div class="form">
      <label>
        Endpoint
        <select value={target.value} onChange={({ currentTarget }) => (target.value = currentTarget.value)}>
          {subscriptions.value.map(({ id, url, channel }) => (
            <option key={id} value={id}>
              {url} · {channel}
            </option>
          ))}
        </select>
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
      <p class="hint">
        An edited payload is sent to loopback addresses only, unless the server was started with{' '}
        <code>--mock</code>.
      </p>
      <Problem text={problem.value} />
      <footer>
        <Button kind="primary" onClick={send}>
          Sign and send
        </Button>
      </footer>
    </div>
  )
}

export const EditDialog = () =>
  draft.value === undefined ? null : (
    <Dialog
      title={`Edit and send ${draft.value.event.name}`}
      onClose={close}
      unsaved={isEdited.value ? 'The edited payload is not saved.' : undefined}
    >
      <Editor {...draft.value} />
    </Dialog>
  )
