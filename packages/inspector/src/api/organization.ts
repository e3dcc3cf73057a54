import { computed, signal } from '@preact/signals'
import type { Attempt, Organization, Page, SentRequest } from '@wabakit/server/control-types'
import { getParam, setParams } from '../state/route.ts'
import { type Path, type SendOptions, send } from './send.ts'

/** Loads the attempts of a delivery, oldest first. */
export const loadAttempts = async (deliveryId: string): Promise<Attempt[]> =>
  (await sendOwn<{ items: Attempt[] }>(['deliveries', deliveryId, 'attempts'])).items

export const loadRequest = (deliveryId: string, number: number): Promise<SentRequest> =>
  sendOwn(['deliveries', deliveryId, 'attempts', String(number), 'request'])

/** The first 1,000 organizations and the one in the page's URL, or `undefined` until they are loaded. */
export const organizations = signal<readonly Organization[] | undefined>(undefined)

export const organization = computed(() => {
  const named = getParam('organization')
  return organizations.value?.find(({ id }) => named === '' || id === named)
})

/** The current organization's id. Until the organizations are loaded, it is the one in the page's URL, whose records need not wait. */
export const organizationId = computed(
  () => (organizations.value === undefined ? getParam('organization') : organization.value?.id) || undefined,
)

/** Loads the organizations, and adds the current one to the page's URL, so that the URL works as a link. */
export const loadOrganizations = async (): Promise<void> => {
  const { items } = await send<Page<Organization>>(['organizations'], { query: { limit: 1000 } })
  const named = getParam('organization')
  const isListed = named === '' || items.some(({ id }) => id === named)
  const others = isListed
    ? []
    : await send<Organization>(['organizations', named]).then(
        (found) => [found],
        () => [],
      )
  organizations.value = [...items, ...others]
  const [first] = items
  if (getParam('organization') === '' && first !== undefined) setParams({ organization: first.id })
}

/** Sends a request about the current organization. */
export const sendOwn = <Result>(path: Path, options?: SendOptions): Promise<Result> =>
  send(['organizations', organizationId.value ?? '', ...path], options)

/** Changes or counts many records, page by page, and yields the result of each page. Throws if `signal` is aborted. */
export async function* sendInParts<Part>(path: Path, body: object, signal?: AbortSignal) {
  for (let cursor: string | undefined; ; ) {
    const part = await sendOwn<Part & { nextCursor?: string }>(path, { body: { ...body, cursor }, signal })
    yield part
    cursor = part.nextCursor
    if (cursor === undefined) return
  }
}
