import type { Event, Subscription } from '@wabakit/server/control-types'
import { sendOwn } from '../api/organization.ts'
import { perform, reloadAll } from '../api/reload.ts'
import { Dialog, openDialog } from '../parts/dialog.tsx'
import { SchemaForm } from '../parts/schema-form.tsx'
import { notify } from '../state/notices.ts'

/** Sends an example event to one subscription. */
export const sendTestEvent = (id: string): Promise<void> =>
  perform(
    () => sendOwn<Event>(['subscriptions', id, 'test-events'], { body: {} }),
    ({ name }) => `Sent a test ${name} event.`,
  )

const change = (id: string, body: object): Promise<void> =>
  sendOwn(['subscriptions', id], { method: 'PATCH', body })

export const setEnabled = (id: string, enabled: boolean): Promise<void> =>
  perform(
    () => change(id, { enabled }),
    enabled
      ? 'Enabled. If you need the skipped deliveries, resend them.'
      : 'Disabled. The server skips its deliveries.',
  )

const limitField = {
  name: 'maxAttemptsPerSecond',
  description: 'From 0.01 to 1,000. Empty: no maximum.',
  isRequired: false,
  kind: 'number',
  choices: [],
} as const

export const askForLimit = ({ id, maxAttemptsPerSecond }: Subscription): void =>
  openDialog((close) => (
    <Dialog title="Limit attempts per second" onClose={close}>
      <SchemaForm
        fields={[limitField]}
        groups={[{ title: 'Attempts to this endpoint', fields: [limitField.name] }]}
        initial={{ maxAttemptsPerSecond: String(maxAttemptsPerSecond ?? '') }}
        submitLabel="Save"
        onSubmit={async (values) => {
          await change(id, { maxAttemptsPerSecond: null, ...values })
          close()
          notify('Saved.')
          reloadAll()
        }}
      />
    </Dialog>
  ))
