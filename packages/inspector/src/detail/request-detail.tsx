import type { ApiRequest } from '../api/types.ts'
import type { DetailProps } from '../list/list-view.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Panel } from '../parts/panel.tsx'

export const RequestDetail = ({ id, item }: DetailProps<ApiRequest>) => (
  <Panel title={id} label="Request">
    {item !== undefined && <JsonView text={JSON.stringify(item)} />}
  </Panel>
)
