import type { SentRequest } from '@wabakit/server/control-types'
import { describeExactness } from '../format/exactness.ts'
import { BodyView } from './body-view.tsx'
import { HeaderTable } from './header-table.tsx'

/** The request of an attempt. */
export const RequestView = ({ request }: { readonly request: SentRequest }) => {
  const { method, url, headers, hiddenHeaders, body } = request
  return (
    <>
      <p class="line">
        <strong>{method}</strong> <code>{url}</code>
      </p>
      <h4>Headers</h4>
      <HeaderTable headers={headers} hidden={hiddenHeaders} />
      <p class="hint">{describeExactness(request)}</p>
      <BodyView text={body} label="Body" />
    </>
  )
}
