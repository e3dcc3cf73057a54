import type { SentRequest } from '../api/types.ts'
import { BodyView } from './body-view.tsx'
import { HeaderTable } from './header-table.tsx'

/** A request as it was sent. */
export const RequestView = ({ request }: { readonly request: SentRequest }) => {
  const { method, url, headers, hiddenHeaders, body, isExact, text } = request
  return (
    <>
      <p class="line">
        <strong>{method}</strong> <code>{url}</code>
      </p>
      {!isExact && <p class="hint">{text}</p>}
      <h4>Headers</h4>
      <HeaderTable headers={headers} hidden={hiddenHeaders} />
      <BodyView text={body} label="Body" />
    </>
  )
}
