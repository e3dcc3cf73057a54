import { type Signal, useSignal } from '@preact/signals'
import type { Subscription, SubscriptionWithSecret } from '@wabakit/server/control-types'
import { useEffect } from 'preact/hooks'
import { sendOwn } from '../api/organization.ts'
import { perform } from '../api/reload.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog, type DialogControl, openDialog } from '../parts/dialog.tsx'
import { Time } from '../parts/time.tsx'

/** Time for which the old secret still signs, in milliseconds: the server's default. */
const overlapMs = 86_400_000

const rotate = (id: string): Promise<void> =>
  perform(async () => {
    const path = `/subscriptions/${encodeURIComponent(id)}/rotate-secret`
    const { secret, ...changed } = await sendOwn<SubscriptionWithSecret>(path, { method: 'POST', body: {} })
    showDialog(changed, secret)
  }, 'Rotated.')

type QuestionProps = DialogControl & { readonly subscription: Subscription }

const Question = ({ subscription, onClose }: QuestionProps) => {
  const { id, url, previousSecretExpiresAt } = subscription
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
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" onClick={() => rotate(id)}>
          Rotate the secret
        </Button>
      </footer>
    </div>
  )
}

type ResultProps = QuestionProps & { readonly secret: string; readonly isKept: Signal<boolean> }

const Result = ({ subscription, secret, isKept, onClose }: ResultProps) => {
  const isShown = useSignal(false)
  const keep = (): void => {
    isKept.value = true
  }
  useEffect(() => {
    if (isKept.value) return
    const warn = (event: Event): void => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isKept.value])
  return (
    <div class="form">
      <section class="verdict" aria-label="New secret">
        <h3>Copy the new secret to the receiver: it is shown only here</h3>
        <p class="line">
          <code onCopy={isShown.value ? keep : undefined}>{isShown.value ? secret : '•'.repeat(24)}</code>
          <button type="button" class="link" onClick={() => (isShown.value = !isShown.value)}>
            {isShown.value ? 'Hide' : 'Show'}
          </button>
          <CopyButton text={secret} label="Copy the secret" onCopied={keep} />
        </p>
      </section>
      {subscription.previousSecretExpiresAt !== null && (
        <p>
          Give it to the receiver before <Time at={subscription.previousSecretExpiresAt} />: until then, the
          secret before it also signs.
        </p>
      )}
      <footer>
        <Button kind="primary" disabled={!isKept.value} onClick={onClose}>
          Done
        </Button>
      </footer>
    </div>
  )
}

type RotationProps = QuestionProps & { readonly secret: string | undefined }

const Rotation = ({ subscription, secret, onClose }: RotationProps) => {
  const isKept = useSignal(false)
  const isAtRisk = secret !== undefined && !isKept.value
  return (
    <Dialog
      title="Rotate the secret"
      onClose={onClose}
      unsaved={isAtRisk ? 'The new secret was not copied, and cannot be shown again.' : undefined}
    >
      {secret === undefined ? (
        <Question subscription={subscription} onClose={onClose} />
      ) : (
        <Result subscription={subscription} secret={secret} isKept={isKept} onClose={onClose} />
      )}
    </Dialog>
  )
}

const showDialog = (subscription: Subscription, secret?: string): void =>
  openDialog((close) => <Rotation subscription={subscription} secret={secret} onClose={close} />)

/**
 * Asks whether to replace a subscription's secret. The states of the dialog:
 * - asks: nothing has changed yet.
 * - asks → shows: the server signs with the new secret, which is shown here and never again.
 * - shows → closed: immediately if the secret was copied, otherwise after the user confirms.
 */
export const askToRotate = (subscription: Subscription): void => showDialog(subscription)
