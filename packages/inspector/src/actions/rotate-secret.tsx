import type { Subscription, SubscriptionWithSecret } from '@wabakit/server/control-types'
import { sendOwn } from '../api/organization.ts'
import { Confirmation } from '../parts/confirmation.tsx'
import { openDialog } from '../parts/dialog.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Time } from '../parts/time.tsx'

/** How long the old secret still signs, in milliseconds. This is the server's default. */
const overlapMs = 86_400_000

const title = 'Rotate the secret'

const rotate = async (id: string): Promise<void> => {
  const path = ['subscriptions', id, 'rotate-secret']
  const rotated = await sendOwn<SubscriptionWithSecret>(path, { body: {} })
  const { secret, previousSecretExpiresAt: end } = rotated
  openDialog((close) => (
    <ShownOnce title={title} name="secret" secret={secret} to="the receiver" onClose={close}>
      {end !== null && (
        <p>
          Give it to the receiver before <Time at={end} />. Until then, the previous secret also signs.
        </p>
      )}
    </ShownOnce>
  ))
}

/**
 * Asks whether to replace a subscription's secret. The user can cancel until the server has created the new secret. The
 * next dialog shows it once, and asks before it closes unless the user has copied it.
 */
export const askToRotate = ({ id, url, previousSecretExpiresAt }: Subscription): void => {
  const isOlderInUse = previousSecretExpiresAt !== null && Date.parse(previousSecretExpiresAt) > Date.now()
  openDialog((close) => (
    <Confirmation title={title} done="Rotated." kind="primary" onConfirm={() => rotate(id)} onClose={close}>
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
