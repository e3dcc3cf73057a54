import { useSignal } from '@preact/signals'
import type { Event, EventType, Subscription } from '@wabakit/server/control-types'
import { getMessage } from '../api/api-error.ts'
import { sendOwn } from '../api/organization.ts'
import { send as request } from '../api/send.ts'
import { findSubscription, subscriptions } from '../api/subscriptions.ts'
import { BodyView } from '../components/body-view.tsx'
import { Button } from '../components/button.tsx'
import { Dialog, type DialogControl, openDialog } from '../components/dialog.tsx'
import { Select } from '../components/select.tsx'
import { Problem } from '../components/status.tsx'
import { toChoices } from '../format/choices.ts'
import { notify } from '../state/notices.ts'
import { navigate } from '../state/route.ts'
import { loadEvent } from './delivery-actions.ts'

type EditorProps = DialogControl & {
  readonly title: string
  readonly subscriptionId: string
  /** The event to edit and send or, for a test event, the events to choose from. */
  readonly source: Event | readonly EventType[]
}

/** Indents a payload to edit it, unless it is not JSON or is nested too deeply. */
const format = (payload: string): string => {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2)
  } catch {
    return payload
  }
}

const isCatalog = (source: EditorProps['source']): source is readonly EventType[] => Array.isArray(source)

/** Sends an event to one endpoint: the sample of an event, or an edited payload. */
const Editor = ({ title, subscriptionId, source, onClose }: EditorProps) => {
  const catalog = isCatalog(source) ? source : []
  const event = isCatalog(source) ? undefined : source
  const name = useSignal(event?.name ?? catalog[0]?.name ?? '')
  const chosen = catalog.find((each) => each.name === name.value)
  const original = format(event?.payload ?? JSON.stringify(chosen?.example ?? null))
  const target = useSignal(subscriptionId)
  const edited = useSignal<string | undefined>(undefined)
  const problem = useSignal('')
  const send = async (): Promise<void> => {
    try {
      // The server fills in the sample with the number of the subscription and a new id.
      const isSample = event === undefined && edited.value === undefined
      const body = {
        name: name.value,
        ...(event && { subject: event.subject }),
        ...(!isSample && { payload: JSON.parse(edited.value ?? original) }),
      }
      const sent = await sendOwn<Event>(['subscriptions', target.value, 'test-events'], { body })
      notify(`Sent ${sent.name} to ${findSubscription(target.value)?.url ?? 'the endpoint'}.`)
      onClose()
      navigate('deliveries', { text: sent.id })
    } catch (error) {
      problem.value = getMessage(error)
    }
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      unsaved={edited.value === undefined ? undefined : 'The edited payload is not saved.'}
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
      {chosen && (
        <label>
          Event
          <Select
            value={name.value}
            choices={toChoices(catalog.map((each) => each.name))}
            onChange={(value) => {
              name.value = value
              edited.value = undefined
            }}
          />
          <small>{chosen.description}</small>
        </label>
      )}
      <label>
        Payload
        <textarea
          class="code"
          rows={14}
          spellcheck={false}
          value={edited.value ?? original}
          onInput={({ currentTarget: { value } }) => (edited.value = value === original ? undefined : value)}
        />
      </label>
      {chosen && (
        <details>
          <summary>Schema of {chosen.name}</summary>
          <BodyView text={format(JSON.stringify(chosen.schema))} label="Schema" />
        </details>
      )}
      <p class="quiet">
        The server sends edited payloads only to loopback addresses, unless it was started with{' '}
        <code>--sandbox</code>.
      </p>
      <Problem text={problem.value} />
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" onClick={send}>
          Sign and send
        </Button>
      </footer>
    </Dialog>
  )
}

const openEditor = async (load: () => Promise<Omit<EditorProps, 'onClose'>>): Promise<void> => {
  try {
    const props = await load()
    openDialog((close) => <Editor {...props} onClose={close} />)
  } catch (error) {
    notify(getMessage(error), { tone: 'bad' })
  }
}

export const editAndSend = (deliveryId: string): Promise<void> =>
  openEditor(async () => {
    const { event, subscriptionId } = await loadEvent(deliveryId)
    return { title: `Edit and send ${event.name}`, subscriptionId, source: event }
  })

/** Offers the events that a subscription gets, each with its sample and its schema. */
export const sendTestEvent = ({ id, channel, events }: Subscription): Promise<void> =>
  openEditor(async () => {
    const { items } = await request<{ items: EventType[] }>(['event-types'])
    const source = items.filter(
      ({ name, channels }) =>
        channels.some((each) => each === channel) && (events === 'all' || events.includes(name)),
    )
    return { title: 'Send a test event', subscriptionId: id, source }
  })
