import type { Subscription, SubscriptionWithSecret } from '@wabakit/server/control-types'
import { sendOwn } from '../api/organization.ts'
import { perform } from '../api/reload.ts'
import { shortenUrl } from '../api/subscriptions.ts'
import { Confirmation, openDialog, ShownOnce } from '../components/dialog.tsx'
import { Time } from '../components/time.tsx'
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
      object={shortenUrl(url)}
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
      object={shortenUrl(url)}
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

/** How long the old secret still signs, in milliseconds. This is the server's default. */
const overlapMs = 86_400_000

const heading = 'Rotate the secret'

const rotate = async (id: string): Promise<void> => {
  const path = ['subscriptions', id, 'rotate-secret']
  const rotated = await sendOwn<SubscriptionWithSecret>(path, { body: {} })
  const { secret, previousSecretExpiresAt: end } = rotated
  openDialog((close) => (
    <ShownOnce title={heading} name="secret" secret={secret} to="the receiver" onClose={close}>
      {end !== null && (
        <p>
          Give it to the receiver before <Time at={end} />. Until then, the previous secret also signs.
        </p>
      )}
    </ShownOnce>
  ))
}

/**
 * Asks whether to replace a subscription's secret. The user can cancel until the server has created the new
 * secret. The next dialog shows it once, and asks before it closes unless the user has copied it.
 */
export const askToRotate = ({ id, url, previousSecretExpiresAt }: Subscription): void => {
  const isOlderInUse = previousSecretExpiresAt !== null && Date.parse(previousSecretExpiresAt) > Date.now()
  openDialog((close) => (
    <Confirmation
      title={heading}
      object={`of ${shortenUrl(url)}`}
      done="Rotated."
      kind="primary"
      onConfirm={() => rotate(id)}
      onClose={close}
    >
      <p>
        Once you rotate it, webhooks to <code>{url}</code> are signed with a new secret.
      </p>
      <p>
        The current secret also signs until <Time at={new Date(Date.now() + overlapMs).toISOString()} />. A
        receiver that has only the current one accepts every webhook until then, and none afterwards.
      </p>
      {isOlderInUse && (
        <p class="problem" role="alert">
          An older secret still signs until <Time at={previousSecretExpiresAt} />. It will stop immediately: a
          receiver that has only the older one will reject webhooks from now on. Rotate after that time to
          lose none.
        </p>
      )}
    </Confirmation>
  ))
}
