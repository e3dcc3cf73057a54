import { shortenUrl, subscriptions } from '../api/subscriptions.ts'
import { Breakable } from './breakable.tsx'

/** The URL of an endpoint without its protocol, in a cell of a list. What differs is often at its end, so it may take two lines. */
export const EndpointLines = ({ url }: { readonly url: string }) => (
  <span class="two-lines" title={url}>
    <Breakable text={shortenUrl(url)} />
  </span>
)

/** Returns the host of a shortened URL. */
const getHost = (name: string): string => name.split('/')[0] ?? name

/**
 * The URL of an endpoint without its protocol. A narrow place cuts its end off or, if another endpoint has the same host, its
 * beginning, so that what tells them apart stays visible.
 */
export const EndpointName = ({ url }: { readonly url: string }) => {
  const name = shortenUrl(url)
  const isHostShared =
    subscriptions.value.filter((each) => getHost(shortenUrl(each.url)) === getHost(name)).length > 1
  return (
    <span class={`truncated ${isHostShared ? 'tail' : ''}`} title={url}>
      <bdi>{name}</bdi>
    </span>
  )
}
