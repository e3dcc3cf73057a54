import { signal, useSignal } from '@preact/signals'
import type { Subscription, SubscriptionWithSecret } from '@wabakit/server/control-types'
import { useEffect } from 'preact/hooks'
import { sendOwn } from '../api/organization.ts'
import { perform } from '../api/reload.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Time } from '../parts/time.tsx'

/** Time that the old secret also signs, in milliseconds: the server's default. */
const overlapMs = 86_400_000

/**
 * The states of the dialog:
 * - asks: nothing has changed yet.
 * - asks → shows: the server signs with the new secret, which is shown here and never again.
 * - shows → closed: immediately if the secret was copied, otherwise after the user confirms.
 */
const rotation = signal<{ readonly subscription: Subscription; readonly secret?: string } | undefined>(
  undefined,
)

export const askToRotate = (subscription: Subscription): void => {
  rotation.value = { subscription }
}

const close = (): void => {
  rotation.value = undefined
}

const rotate = (subscription: Subscription): Promise<boolean> =>
  perform(async () => {
    const path = `/subscriptions/${encodeURIComponent(subscription.id)}/rotate-secret`
    const { secret, ...changed } = await sendOwn<SubscriptionWithSecret>(path, { method: 'POST', body: {} })
    rotation.value = { subscription: changed, secret }
    return 'Rotated.'
  })

const Question = ({ subscription }: { readonly subscription: Subscription }) => {
  const { url, previousSecretExpiresAt } = subscription
  const isOlderInUse = previousSecretExpiresAt !== null && Date.parse(previousSecretExpiresAt) > Date.now()
  return (
    <div class="form">
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
      <footer>
        <Button onClick={close}>Cancel</Button>
        <Button kind="primary" onClick={() => rotate(subscription)}>
          Rotate the secret
        </Button>
      </footer>
    </div>
  )
}

type ResultProps = {
  readonly subscription: Subscription
  readonly secret: string
  readonly isKept: boolean
  readonly onKeep: () => void
}

const Result = ({ subscription, secret, isKept, onKeep }: ResultProps) => {
  const isShown = useSignal(false)
  useEffect(() => {
    if (isKept) return
    const warn = (event: Event): void => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isKept])
  return (
    <div class="form">
      <section class="verdict" aria-label="New secret">
        <h3>Copy the new secret to the receiver: it is shown only here</h3>
        <p class="line">
          <code onCopy={isShown.value ? onKeep : undefined}>{isShown.value ? secret : '•'.repeat(24)}</code>
          <button type="button" class="link" onClick={() => (isShown.value = !isShown.value)}>
            {isShown.value ? 'Hide' : 'Show'}
          </button>
          <CopyButton text={secret} label="Copy the secret" onCopied={onKeep} />
        </p>
      </section>
      {subscription.previousSecretExpiresAt !== null && (
        <p>
          Give it to the receiver before <Time at={subscription.previousSecretExpiresAt} />: until then, the
          secret before it also signs.
        </p>
      )}
      <footer>
        <Button kind="primary" disabled={!isKept} onClick={close}>
          Done
        </Button>
      </footer>
    </div>
  )
}

/** Replaces a subscription's secret, and keeps the new one in view until it is copied. */
export const RotationDialog = () => {
  const isKept = useSignal(false)
  const { subscription, secret } = rotation.value ?? {}
  useEffect(() => {
    isKept.value = false
  }, [secret])
  if (subscription === undefined) return null
  const isAtRisk = secret !== undefined && !isKept.value
  return (
    <Dialog
      title="Rotate the secret"
      onClose={close}
      unsaved={isAtRisk ? 'The new secret was not copied, and cannot be shown again.' : undefined}
    >
      {secret === undefined ? (
        <Question subscription={subscription} />
      ) : (
        <Result
          subscription={subscription}
          secret={secret}
          isKept={isKept.value}
          onKeep={() => (isKept.value = true)}
        />
      )}
    </Dialog>
  )
}
