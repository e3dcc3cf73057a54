import type { Subscription } from '@wabakit/server/control-types'
import { sendOwn } from '../api/organization.ts'
import { perform } from '../api/reload.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { openDialog } from '../parts/dialog.tsx'
import { closeRecord } from '../state/current-record.ts'
import { UnfinishedCount } from './unfinished-count.tsx'

const setEnabled = (id: string, enabled: boolean): Promise<unknown> =>
  sendOwn(['subscriptions', id], { method: 'PATCH', body: { enabled } })

export const enable = ({ id }: Subscription): Promise<void> =>
  perform(() => setEnabled(id, true), 'Enabled. If you need the skipped deliveries, resend them.')

export const askToDisable = ({ id, url }: Subscription): void =>
  openDialog((close) => (
    <Confirmation
      title="Disable"
      done="Disabled. The server skips its deliveries."
      kind="primary"
      onConfirm={() => setEnabled(id, false)}
      onClose={close}
    >
      <p>
        <code>{url}</code> gets no webhooks until you enable it again. <UnfinishedCount subscriptionId={id} />
      </p>
      <p class="quiet">
        Those are skipped, and so is each later event. Skipped deliveries can be resent after you enable it.
      </p>
    </Confirmation>
  ))

export const askToRemove = ({ id, url }: Subscription): void =>
  openDialog((close) => (
    <Confirmation
      title="Remove"
      done="Removed."
      onConfirm={async () => {
        await sendOwn(['subscriptions', id], { method: 'DELETE' })
        closeRecord()
      }}
      onClose={close}
    >
      <p>
        <code>{url}</code> gets no more webhooks. <UnfinishedCount subscriptionId={id} />
      </p>
      <p class="quiet">
        They and the whole history of its deliveries are deleted with it, and so is its secret. This cannot be
        undone: to keep them, disable it instead.
      </p>
    </Confirmation>
  ))
