import type { Attempt, Delivery } from '@wabakit/server/control-types'
import { useEffect } from 'preact/hooks'
import { cancel, copyAsCurl, listCopyItems, loadEvent } from '../actions/delivery-actions.ts'
import { resend, retryNow } from '../actions/resend.ts'
import { editAndSend } from '../actions/send-event.tsx'
import { Button } from '../components/button.tsx'
import { Menu } from '../components/menu.tsx'
import { bindKeys } from '../state/keyboard.ts'

/** Keyboard shortcuts for a delivery and, if it is known, its selected attempt. */
export const deliveryKeys: Readonly<Record<string, (id: string, attempt?: number) => Promise<void>>> = {
  r: (id) => resend(id),
  e: editAndSend,
  c: copyAsCurl,
}

type DeliveryMenuProps = { readonly delivery: Delivery; readonly attempt: Attempt | undefined }

export const DeliveryMenu = ({ delivery, attempt }: DeliveryMenuProps) => {
  const { id, status } = delivery
  const isPending = status === 'pending'
  // The server refuses to resend a delivery that is being attempted, or that waits for another one.
  const isRefused = status === 'attempting' || status === 'waiting'
  useEffect(() => bindKeys(deliveryKeys, (act) => act(id, attempt?.number)), [id, attempt?.number])
  return (
    <>
      {isPending ? (
        <Button icon="play" kind="primary" onClick={() => retryNow(id)}>
          Attempt now
        </Button>
      ) : (
        !isRefused && (
          <Button icon="resend" kind="primary" shortcut="r" onClick={() => resend(id)}>
            Resend
          </Button>
        )
      )}
      <Menu
        items={[
          ...(isPending
            ? [{ label: 'Resend', icon: 'resend', shortcut: 'r', onSelect: () => resend(id) } as const]
            : []),
          {
            label: 'Resend with a new webhook-id',
            icon: 'resend',
            onSelect: () => resend(id, { newWebhookId: true }),
            isDisabled: isRefused,
          },
          { label: 'Edit and send', icon: 'external', shortcut: 'e', onSelect: () => editAndSend(id) },
          {
            label: 'Cancel the delivery',
            icon: 'close',
            onSelect: () => cancel(id),
            isDisabled: !isPending && status !== 'waiting',
          },
          {
            label: 'Copy as curl',
            icon: 'copy',
            shortcut: 'c',
            onSelect: () => copyAsCurl(id, attempt?.number),
          },
          ...listCopyItems(async () => (await loadEvent(id)).event),
        ]}
      />
    </>
  )
}
