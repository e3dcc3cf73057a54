import type { Attempt, Delivery } from '@wabakit/server/control-types'
import { useEffect } from 'preact/hooks'
import { cancel, copyAsCurl, listCopyItems, loadEvent, retryNow } from '../actions/delivery-actions.ts'
import { resend } from '../actions/resend.ts'
import { editAndSend } from '../actions/send-event.tsx'
import { Button } from '../parts/button.tsx'
import { Menu } from '../parts/menu.tsx'
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
  const isBusy = status === 'attempting'
  const isPending = status === 'pending'
  useEffect(() => bindKeys(deliveryKeys, (act) => act(id, attempt?.number)), [id, attempt?.number])
  return (
    <>
      <Button icon="resend" kind="primary" shortcut="r" disabled={isBusy} onClick={() => resend(id)}>
        Resend
      </Button>
      <Menu
        items={[
          {
            label: 'Resend with a new webhook-id',
            icon: 'resend',
            onSelect: () => resend(id, { newWebhookId: true }),
            isDisabled: isBusy,
          },
          { label: 'Edit and send', icon: 'external', shortcut: 'e', onSelect: () => editAndSend(id) },
          { label: 'Attempt now', icon: 'play', isDisabled: !isPending, onSelect: () => retryNow(id) },
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
