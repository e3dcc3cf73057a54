import type { Delivery, Event } from '@wabakit/server/control-types'
import { loadAttempts, loadRequest, sendOwn } from '../api/organization.ts'
import { perform } from '../api/reload.ts'
import { copy } from '../components/copy-button.tsx'
import type { MenuItem } from '../components/menu.tsx'
import { formatCurl, formatFixture, formatTest } from '../format/snippets.ts'

export const cancel = (id: string): Promise<void> =>
  perform(() => sendOwn(['deliveries', id, 'cancel'], { body: {} }), 'Canceled. You can still resend it.')

export const loadEvent = async (deliveryId: string): Promise<{ event: Event; subscriptionId: string }> => {
  const { eventId, subscriptionId } = await sendOwn<Delivery>(['deliveries', deliveryId])
  return { event: await sendOwn<Event>(['events', eventId]), subscriptionId }
}

const findLastAttempt = async (id: string): Promise<number> => {
  const last = (await loadAttempts(id)).at(-1)
  if (last === undefined) throw new Error('There has been no attempt yet. Resend the delivery, then copy it.')
  return last.number
}

const copyAs = (form: string, write: () => Promise<string>): Promise<void> =>
  perform(async () => copy(await write()), `Copied as ${form}.`)

/** Copies an attempt, by default the last one, as a curl command. */
export const copyAsCurl = (id: string, attempt?: number): Promise<void> =>
  copyAs('a curl command', async () =>
    formatCurl(await loadRequest(id, attempt ?? (await findLastAttempt(id)))),
  )

export const listCopyItems = (load: () => Promise<Event>): MenuItem[] => [
  {
    label: 'Copy as JSON fixture',
    icon: 'copy',
    onSelect: () => copyAs('a JSON fixture', async () => formatFixture(await load())),
  },
  {
    label: 'Copy as vitest test',
    icon: 'copy',
    onSelect: () => copyAs('a vitest test', async () => formatTest(await load())),
  },
]
