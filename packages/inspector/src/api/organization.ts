import { computed, signal } from '@preact/signals'
import type { Organization, Page, SentRequest } from '@wabakit/server/control-types'
import { getParam, route, setParams } from '../state/route.ts'
import { type SendOptions, send } from './send.ts'

export const loadRequest = (deliveryId: string, number: number): Promise<SentRequest> =>
  sendOwn(`/deliveries/${encodeURIComponent(deliveryId)}/attempts/${number}/request`)

/** All organizations, once they are loaded. */
export const organizations = signal<readonly Organization[] | undefined>(undefined)

export const organizationId = computed(() => {
  const named = route.value.params.get('organization')
  const known = organizations.value
  return named ? known?.find(({ id }) => id === named)?.id : known?.[0]?.id
})

export const organization = computed(() => organizations.value?.find(({ id }) => id === organizationId.value))

/** Loads the organizations, and adds the current one to the page's URL, so that the URL works as a link. */
export const loadOrganizations = async (): Promise<void> => {
  const { items } = await send<Page<Organization>>('/organizations', { query: { limit: 1000 } })
  const named = getParam('organization')
  const isListed = named === '' || items.some(({ id }) => id === named)
  const others = isListed
    ? []
    : await send<Organization>(`/organizations/${encodeURIComponent(named)}`).then(
        (found) => [found],
        () => [],
      )
  organizations.value = [...items, ...others]
  const [first] = items
  if (getParam('organization') === '' && first !== undefined) setParams({ organization: first.id })
}

/** Sends a request about the current organization. */
export const sendOwn = <Result>(path: string, options?: SendOptions): Promise<Result> =>
  send(`/organizations/${encodeURIComponent(organizationId.value ?? '')}${path}`, options)
